package org.spillway.cli.session;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The user's terminal, handed on as it is: no line editing, no echo, no signals of its own. A shell of its own keeps what was
 * set, and sets it again when this process is gone, however it went. It tells changes of the window, too, which a JVM cannot hear.
 */
public final class TerminalMode implements AutoCloseable {
    private static final String KEEPER = """
            exec 3</dev/tty 4<&0 || exit 1
            saved=$(stty -g <&3) || exit 1
            trap '' INT QUIT TSTP TTOU TTIN HUP
            trap 'stty size <&3' WINCH
            stty raw -echo <&3 || exit 1
            stty size <&3
            cat <&4 >/dev/null &
            reader=$!
            while kill -0 "$reader" 2>/dev/null; do wait "$reader"; done
            stty "$saved" <&3
            """;

    private final Process keeper;
    private final Size first;

    /** In characters. */
    public record Size(int rows, int columns) {}

    private TerminalMode(Process keeper, Size first) {
        this.keeper = keeper;
        this.first = first;
    }

    /**
     * From now on keys are bytes and nothing else.
     *
     * @param changed told each new size, on a thread of its own
     * @throws IOException if this process has no terminal
     */
    public static TerminalMode raw(Consumer<Size> changed) throws IOException {
        Process keeper = new ProcessBuilder("sh", "-c", KEEPER)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader sizes = keeper.inputReader(StandardCharsets.US_ASCII);
        Size first = size(sizes.readLine());
        if (first == null) {
            keeper.destroy();
            throw new IOException("there is no terminal here");
        }
        Thread.ofPlatform().daemon().name("terminal-size").start(() -> tell(sizes, changed));
        return new TerminalMode(keeper, first);
    }

    private static void tell(BufferedReader sizes, Consumer<Size> changed) {
        try {
            for (String line = sizes.readLine(); line != null; line = sizes.readLine()) {
                Size size = size(line);
                if (size != null) {
                    changed.accept(size);
                }
            }
        } catch (IOException gone) {
            // The terminal is restored: its size is nobody's concern.
            Thread.currentThread().interrupt();
        }
    }

    private static @Nullable Size size(@Nullable String line) {
        if (line == null || !line.matches("\\d{1,5} \\d{1,5}")) {
            return null;
        }
        int space = line.indexOf(' ');
        return new Size(Integer.parseInt(line.substring(0, space)), Integer.parseInt(line.substring(space + 1)));
    }

    /** The size at the beginning; 0 where the terminal does not know it. */
    public Size size() {
        return first;
    }

    /** The terminal is as it was. May be repeated. */
    @Override
    public void close() {
        try {
            keeper.getOutputStream().close();
            keeper.waitFor(2, TimeUnit.SECONDS);
        } catch (IOException gone) {
            keeper.destroy();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }
}
