import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The options of a target, as text for ipafuzz and with their defaults. */
final class OptionModel {
    private final Map<String, String> defaults = new LinkedHashMap<>();
    private final Map<String, List<String>> choices = new LinkedHashMap<>();
    private final StringBuilder text = new StringBuilder();

    /** The value of a choice that leaves a solver as its factory has made it. */
    static final String ASIS = "asis";

    OptionModel choice(String name, List<String> values, String usual, String doc) {
        choices.put(name, values);
        return option("option", name, "choice " + String.join("|", values), usual, doc);
    }

    OptionModel bool(String name, boolean usual, String doc) {
        return option("option", name, "bool", Boolean.toString(usual), doc);
    }

    /** An option that is set by the targets file, never by a generator. */
    OptionModel fixed(String name, boolean usual, String doc) {
        return option("fixed", name, "bool", Boolean.toString(usual), doc);
    }

    OptionModel integer(String name, int min, int max, int usual, String doc) {
        return option("option", name, "int " + min + " " + max, Integer.toString(usual), doc);
    }

    OptionModel real(String name, double min, double max, double usual, String doc) {
        return option("option", name, "real " + min + " " + max, Double.toString(usual), doc);
    }

    private OptionModel option(String word, String name, String kind, String usual, String doc) {
        defaults.put(name, usual);
        text.append(word + " " + name + " " + kind + " " + usual + " when=start # " + doc + "\n");
        return this;
    }

    /** The two settings never hold together. Values that there are not are passed over. */
    OptionModel exclude(String name, String value, String other, String otherValue) {
        if (offers(name, value) && offers(other, otherValue)) {
            text.append("exclude " + name + "=" + value + " " + other + "=" + otherValue + "\n");
        }
        return this;
    }

    private boolean offers(String name, String value) {
        return defaults.containsKey(name) && (!choices.containsKey(name) || choices.get(name).contains(value));
    }

    /** All choices of an option but the one that changes nothing. */
    List<String> changes(String name) {
        List<String> values = new ArrayList<>(choices.get(name));
        values.remove(ASIS);
        return values;
    }

    String describe() {
        return text.toString();
    }

    boolean has(String name) {
        return defaults.containsKey(name);
    }

    String usual(String name) {
        return defaults.get(name);
    }
}
