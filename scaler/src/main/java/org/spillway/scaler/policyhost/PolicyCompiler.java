package org.spillway.scaler.policyhost;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles one source file to memory. Runs in the child: a compiler is a large program fed with somebody's text. */
final class PolicyCompiler {
    private static final int MOST_FINDINGS = 20;

    private PolicyCompiler() {}

    /**
     * @param api jars that the source may see besides java.base
     * @return classes by binary name
     */
    static Map<String, byte[]> compile(String fileName, String source, List<Path> api) throws NotTaken {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new NotTaken(
                    fileName, "this Java has no compiler (jdk.compiler): run the head on a JDK, or drop a jar instead");
        }
        DiagnosticCollector<JavaFileObject> heard = new DiagnosticCollector<>();
        String classPath = api.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        List<String> options = List.of(
                "-proc:none",
                "-implicit:none",
                "-nowarn",
                "-g",
                "--limit-modules",
                "java.base",
                "-classpath",
                classPath,
                "-Xmaxerrs",
                Integer.toString(MOST_FINDINGS));
        try (StandardJavaFileManager standard =
                        compiler.getStandardFileManager(heard, Locale.ROOT, StandardCharsets.UTF_8);
                Memory memory = new Memory(standard)) {
            boolean good = compiler.getTask(null, memory, heard, options, null, List.of(new Source(fileName, source)))
                    .call();
            if (!good) {
                throw new NotTaken(findings(fileName, heard));
            }
            return memory.classes();
        } catch (IOException strange) {
            throw new NotTaken(fileName, "the compiler failed: " + strange.getMessage());
        } catch (IllegalStateException strange) {
            // The compiler threw: javac breaks on its input.
            throw new NotTaken(fileName, "the compiler failed: " + strange);
        }
    }

    private static List<Finding> findings(String fileName, DiagnosticCollector<JavaFileObject> heard) {
        List<Finding> findings = new ArrayList<>();
        for (Diagnostic<? extends JavaFileObject> one : heard.getDiagnostics()) {
            if (one.getKind() == Diagnostic.Kind.ERROR && findings.size() < MOST_FINDINGS) {
                findings.add(new Finding(
                        fileName,
                        Math.max(0, one.getLineNumber()),
                        Math.max(0, one.getColumnNumber()),
                        one.getMessage(Locale.ROOT)));
            }
        }
        return findings.isEmpty()
                ? List.of(Finding.ofFile(fileName, "the compiler refused it and did not say why"))
                : findings;
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String fileName, String text) {
            super(URI.create("string:///" + fileName), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Where class files go. */
    private static final class Memory extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> written = new TreeMap<>();

        Memory(JavaFileManager standard) {
            super(standard);
        }

        Map<String, byte[]> classes() {
            Map<String, byte[]> classes = new TreeMap<>();
            written.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
            return classes;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(
                    URI.create("memory:///" + className.replace('.', '/') + kind.extension), kind) {
                @Override
                public OutputStream openOutputStream() {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    written.put(className, bytes);
                    return bytes;
                }
            };
        }
    }
}
