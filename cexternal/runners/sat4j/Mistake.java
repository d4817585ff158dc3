/** Tells mistakes of this runner from those of Sat4j. */
final class Mistake {
    private static final int EXIT_CODE = 70;

    private Mistake() { }

    /**
     * Ends this process with the line that says so (docs/protocol.md) if the exception is a mistake of this runner.
     */
    static void endIfOurs(Throwable thrown) {
        if (!isOurs(thrown)) {
            return;
        }
        System.err.print("ipafuzz-mistake: ");
        thrown.printStackTrace();
        System.err.flush();
        Runtime.getRuntime().halt(EXIT_CODE);
    }

    /**
     * An exception is of whoever threw the first of its causes. Frames of the JDK do not count: it throws because its
     * caller passed something wrong. The classes of this runner have no package. Where memory ends says nothing.
     */
    static boolean isOurs(Throwable thrown) {
        Throwable first = thrown;
        while (first.getCause() != null) {
            first = first.getCause();
        }
        if (first instanceof OutOfMemoryError) {
            return false;
        }
        for (StackTraceElement frame : first.getStackTrace()) {
            String name = frame.getClassName();
            if (!name.startsWith("java.") && !name.startsWith("jdk.") && !name.startsWith("sun.")) {
                return name.indexOf('.') < 0;
            }
        }
        return false;
    }
}
