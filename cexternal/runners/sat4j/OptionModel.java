import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The options of a target with their defaults, and their text for ipafuzz. */
final class OptionModel {
    private final Map<String, String> defaults = new LinkedHashMap<>();
    private final Map<String, List<String>> choices = new LinkedHashMap<>();
    private final Map<String, Predicate<String>> accepted = new LinkedHashMap<>();
    private final StringBuilder text = new StringBuilder();

    /** The value of a choice that keeps what the factory chose. */
    static final String ASIS = "asis";

    OptionModel choice(String name, List<String> values, String usual, String doc) {
        choices.put(name, values);
        return option("option", name, "choice " + String.join("|", values), usual, doc, values::contains);
    }

    OptionModel bool(String name, boolean usual, String doc) {
        return option("option", name, "bool", Boolean.toString(usual), doc, OptionModel::isBool);
    }

    /** Adds an option that only the targets file sets, never a generator. */
    OptionModel fixed(String name, boolean usual, String doc) {
        return option("fixed", name, "bool", Boolean.toString(usual), doc, OptionModel::isBool);
    }

    private static boolean isBool(String value) {
        return value.equals("true") || value.equals("false");
    }

    OptionModel integer(String name, int min, int max, int usual, String doc) {
        return option("option", name, "int " + min + " " + max, Integer.toString(usual), doc, value ->
            value.matches("-?[0-9]{1,9}") && min <= Integer.parseInt(value) && Integer.parseInt(value) <= max);
    }

    OptionModel real(String name, double min, double max, double usual, String doc) {
        return option("option", name, "real " + min + " " + max, Double.toString(usual), doc, value ->
            value.matches("-?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?") && min <= Double.parseDouble(value)
                && Double.parseDouble(value) <= max);
    }

    private OptionModel option(String word, String name, String kind, String usual, String doc,
            Predicate<String> accepts) {
        accepted.put(name, accepts);
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

    /** Whether there is such an option and it has this value. */
    boolean takes(String name, String value) {
        return accepted.containsKey(name) && accepted.get(name).test(value);
    }

    String usual(String name) {
        return defaults.get(name);
    }
}
