import java.io.BufferedReader;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/**
 * Serves Sat4j to ipafuzz (docs/protocol.md). One process serves many traces; an
 * exception of Sat4j ends the trace, not the process.
 */
public final class Runner {
    private final String model;
    private final OptionModel options;
    private final Map<String, Served> solvers = new HashMap<>();
    private boolean threw; // in this trace

    private static final String ENUMERATE = "ipasir+enumerate";

    private boolean isSat() {
        return !model.equals("ipamir");
    }

    private Runner(String model) {
        this.model = model;
        this.options = isSat() ? SatServed.options(model.equals(ENUMERATE)) : MaxSatServed.options();
    }

    public static void main(String[] args) throws IOException {
        if (args.length != 1 || !Arrays.asList("ipasir", "ipamir", ENUMERATE).contains(args[0])) {
            System.err.println("usage: java -ea -jar sat4j.jar ipasir|ipamir|ipasir+enumerate");
            System.exit(2);
        }
        OutputStream answers = new FileOutputStream(FileDescriptor.out);
        System.setOut(System.err); // some solvers write to stdout
        try {
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in), 1 << 16);
            new Runner(args[0]).serve(in, new StringBuilder(), answers);
        } catch (Throwable thrown) {
            Mistake.endIfOurs(thrown);
            thrown.printStackTrace();
            Runtime.getRuntime().halt(1); // parallel solvers leave threads running
        }
        Runtime.getRuntime().halt(0);
    }

    private void serve(BufferedReader in, StringBuilder out, OutputStream answers) throws Exception {
        out.append("ipafuzz-runner 1\nmodel ").append(model).append("\nrepeatable\n");
        out.append("signature ").append(signature()).append('\n');
        if (!isSat()) {
            out.append("lacks learn\n");
        }
        out.append(options.describe()).append("ready\n");
        while (true) {
            if (!in.ready()) { // flush before blocking
                answers.write(out.toString().getBytes(StandardCharsets.UTF_8));
                out.setLength(0);
            }
            String line = in.readLine();
            if (line == null) {
                return;
            }
            answer(line.split(" "), out);
            out.append('\n');
        }
    }

    private static String signature() {
        String jar = org.sat4j.core.VecInt.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        try {
            jar = new File(jar).getCanonicalFile().getName();
        } catch (IOException e) {
            // keep the path
        }
        return "Sat4j " + jar.replaceAll("^.*-", "").replaceAll("\\.jar$", "");
    }

    private void answer(String[] words, StringBuilder out) throws Exception {
        switch (words[0]) {
        case "ipafuzz":
            solvers.clear();
            threw = false;
            reseed();
            out.append('=');
            return;
        case "end":
            out.append("end");
            return;
        }
        int at = words[0].startsWith("@") && words.length > 1 ? 1 : 0;
        String instance = at == 1 ? words[0] : "";
        String[] args = new String[words.length - at - 1];
        System.arraycopy(words, at + 1, args, 0, args.length);
        if (threw) {
            out.append("= ?");
            return;
        }
        int from = out.length();
        try {
            call(instance, words[at], args, out.append('='));
        } catch (OutOfMemoryError e) {
            throw e; // nothing that this process does next is reliable
        } catch (Throwable thrown) {
            Mistake.endIfOurs(thrown);
            threw = true;
            out.setLength(from);
            out.append("threw \"").append(printable(trace(thrown))).append('"');
        }
    }

    /** Formats an exception as Java does, without the frames of this runner. */
    private static String trace(Throwable thrown) {
        StringBuilder text = new StringBuilder(thrown.toString());
        for (StackTraceElement frame : thrown.getStackTrace()) {
            if (frame.getClassName().equals("Runner") || text.length() > 4000) {
                break;
            }
            text.append("\n\tat ").append(frame);
        }
        return text.toString();
    }

    private static String printable(String text) {
        StringBuilder out = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (b == '"' || b == '\\') {
                out.append('\\').append((char) b);
            } else if (b < ' ' || b > '~') {
                out.append(String.format("\\x%02x", b));
            } else {
                out.append((char) b);
            }
        }
        return out.toString();
    }

    private void call(String instance, String name, String[] args, StringBuilder out) throws Exception {
        Served s = solvers.get(instance);
        switch (name) {
        case "init":
            solvers.put(instance, isSat() ? new SatServed(options) : new MaxSatServed(options));
            return;
        case "signature":
            out.append(" \"").append(signature()).append('"');
            return;
        case "release":
            solvers.remove(instance);
            return;
        case "add":
        case "hard":
            s.add(numbers(args));
            return;
        case "soft":
            s.soft(Integer.parseInt(args[0]), new BigInteger(args[1]));
            return;
        case "assume":
            s.assume(Integer.parseInt(args[0]));
            return;
        case "solve":
            s.answerSolve(out);
            return;
        case "enumerate":
            s.answerEnumerate(Integer.parseInt(args[0]), out);
            return;
        case "obj":
            out.append(' ').append(s.objective());
            return;
        case "val":
            int literal = Integer.parseInt(args[0]);
            int value = s.value(Math.abs(literal));
            out.append(' ').append(value == 0 ? 0 : value > 0 == literal > 0 ? literal : -literal);
            return;
        case "model":
            for (int variable : s.variables()) {
                if (s.value(variable) != 0) {
                    out.append(' ').append(s.value(variable) > 0 ? variable : -variable);
                }
            }
            return;
        case "failed":
            out.append(s.core().contains(Integer.parseInt(args[0])) ? " 1" : " 0");
            return;
        case "core":
            for (int assumption : s.core()) {
                out.append(' ').append(assumption);
            }
            return;
        case "option":
            out.append(s.set(args[0], args[1]) ? " 0" : " 1");
            return;
        case "havoc":
            s.havoc(Long.parseUnsignedLong(args[0]));
            return;
        case "terminate":
            s.listener.terminate = args[0].equals("off") ? Listener.OFF : Long.parseLong(args[0]);
            return;
        case "learn":
            s.listener.learn = args[0].equals("off") ? Listener.OFF : Long.parseLong(args[0]);
            return;
        default:
            out.append(" ?");
        }
    }

    private static int[] numbers(String[] args) {
        int[] numbers = new int[args.length];
        for (int i = 0; i < args.length; i++) {
            numbers[i] = Integer.parseInt(args[i]);
        }
        return numbers;
    }

    /**
     * Reseeds the static generators of Sat4j, so that a trace does not depend on
     * earlier ones.
     */
    private static void reseed() throws Exception {
        for (String name : new String[] {"RandomWalkDecorator", "RandomLiteralSelectionStrategy"}) {
            Field random = Class.forName("org.sat4j.minisat.orders." + name).getDeclaredField("RAND");
            random.setAccessible(true);
            ((Random) random.get(null)).setSeed(123456789);
        }
    }
}
