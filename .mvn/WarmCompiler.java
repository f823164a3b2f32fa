import com.sun.tools.javac.file.JavacFileManager;
import com.sun.tools.javac.main.Main;
import com.sun.tools.javac.util.Context;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import javax.tools.JavaFileManager;
import javax.tools.StandardLocation;

/**
 * Compiles for all modules of one build in one JVM: Maven on an older Java starts a compiler for each half of a module,
 * and two thirds of its CPU time go into loading and warming Error Prone (177 CPU seconds for 36 starts, 67 in one JVM).
 * The program javac beside this file starts and asks it, by a file that only this user can read. Ends with its build.
 */
final class WarmCompiler {
    private static final int ASKED_WITHIN_MILLISECONDS = 10_000;
    private static final Map<List<File>, ClassLoader> PLUGINS = new ConcurrentHashMap<>();

    private WarmCompiler() {}

    public static void main(String[] arguments) throws Exception {
        var file = Path.of(arguments[0]);
        var build = ProcessHandle.of(Long.parseLong(arguments[1])).orElseThrow();
        build.onExit().thenRun(() -> {
            // For .ci/cpu/run: nobody waits for this process.
            ProcessHandle.current()
                    .info()
                    .totalCpuDuration()
                    .ifPresent(used -> System.err.println("compiled with " + used.toSeconds() + " CPU seconds"));
            System.exit(0);
        });
        file.toFile().deleteOnExit();
        var random = new byte[16];
        new SecureRandom().nextBytes(random);
        var secret = HexFormat.of().formatHex(random);
        try (var server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
                var threads = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors())) {
            say(file, "%d %s%n".formatted(server.getLocalPort(), secret));
            while (true) {
                var asked = server.accept();
                threads.execute(() -> answer(asked, secret));
            }
        }
    }

    private static void say(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        var mine = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        var draft = Files.createTempFile(file.getParent(), "compiler", "", mine);
        Files.writeString(draft, text);
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Says what the compiler says, and last its exit code: without that line the asking side compiles by itself. */
    private static void answer(Socket asked, String secret) {
        try (asked;
                var in = new BufferedReader(new InputStreamReader(asked.getInputStream(), StandardCharsets.UTF_8));
                var out = new PrintWriter(new OutputStreamWriter(asked.getOutputStream(), StandardCharsets.UTF_8))) {
            asked.setSoTimeout(ASKED_WITHIN_MILLISECONDS);
            if (!secret.equals(in.readLine())) {
                return;
            }
            var context = new Context();
            context.put(JavaFileManager.class, (Context.Factory<JavaFileManager>) FilesAndPlugins::new);
            var compiler = new Main("javac", out);
            var result = compiler.compile(new String[] {in.readLine()}, context);
            context.get(JavaFileManager.class).close();
            out.printf("%nexit code %d%n", result.exitCode);
        } catch (IOException | RuntimeException gone) {
            System.err.println("the warm compiler: " + gone);
        }
    }

    /** As the compiler's own, but that a plugin is loaded once. */
    private static final class FilesAndPlugins extends JavacFileManager {
        FilesAndPlugins(Context context) {
            super(context, true, null);
        }

        @Override
        public ClassLoader getClassLoader(Location location) {
            if (location != StandardLocation.ANNOTATION_PROCESSOR_PATH || !hasLocation(location)) {
                return super.getClassLoader(location);
            }
            var path = new ArrayList<File>();
            getLocation(location).forEach(path::add);
            return PLUGINS.computeIfAbsent(path, Kept::new);
        }
    }

    /** Stays open when a compilation that has used it ends. */
    private static final class Kept extends URLClassLoader {
        Kept(List<File> path) {
            super(path.stream().map(Kept::url).toArray(URL[]::new), JavacFileManager.class.getClassLoader());
        }

        private static URL url(File file) {
            try {
                return file.toURI().toURL();
            } catch (IOException notAPath) {
                throw new IllegalArgumentException(notAPath);
            }
        }

        @Override
        public void close() {}
    }
}
