import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The options of a target with their defaults, and their text for ipafuzz. */
final class OptionModel {
    private final Map<String, String> defaults = new LinkedHashMap<>();
    private final Map<String, List<String>> choices = new LinkedHashMap<>();
    private final StringBuilder text = new StringBuilder();

    /** The value of a choice that keeps what the factory chose. */
    static final String ASIS = "asis";

    OptionModel choice(String name, List<String> values, String usual, String doc) {
        choices.put(name, values);
        return option("option", name, "choice " + String.join("|", values), usual, doc);
    }

    OptionModel bool(String name, boolean usual, String doc) {
        return option("option", name, "bool", Boolean.toString(usual), doc);
    }

    /** Adds an option that only the targets file sets, never a generator. */
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

    /** Excludes a pair of settings. Ignores values that do not exist. */
    OptionModel exclude(String name, String value, String other, String otherValue) {
        if (offers(name, value) && offers(other, otherValue)) {
            text.append("exclude " + name + "=" + value + " " + other + "=" + otherValue + "\n");
        }
        return this;
    }

    private boolean offers(String name, String value) {
        return defaults.containsKey(name) && (!choices.containsKey(name) || choices.get(name).contains(value));
    }

    /** Returns all choices of an option except the one that changes nothing. */
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
