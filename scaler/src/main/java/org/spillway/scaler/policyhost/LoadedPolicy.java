package org.spillway.scaler.policyhost;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.SettingTexts;
import org.spillway.policy.Wish;
import org.spillway.policy.check.PolicyCheck;
import org.spillway.scaler.plan.FirstFitPlanner;

/** A plugin's policy with its settings, in the child. */
final class LoadedPolicy<S extends Record> {
    private static final String SERVICE = "META-INF/services/org.spillway.policy.ScalingPolicy";
    private static final String ATTRIBUTE = "Spillway-Policy";
    private static final int MOST_SERVICE_LINES = 100;

    private final ScalingPolicy<S> policy;
    private final S settings;

    private LoadedPolicy(ScalingPolicy<S> policy, S settings) {
        this.policy = policy;
        this.settings = settings;
    }

    /**
     * Compiles or opens the file, makes the policy and its settings.
     *
     * @param api jars to compile against
     * @param work folder that may be written to
     */
    static LoadedPolicy<?> load(Wire.Request.Load file, List<Path> api, Path work) throws NotTaken {
        byte[] content = Base64.getDecoder().decode(file.content());
        Class<?> type = file.fileName().endsWith(".java")
                ? ofSource(file.fileName(), new String(content, StandardCharsets.UTF_8), api)
                : ofJar(file.fileName(), content, work);
        return with(file, instance(file.fileName(), type));
    }

    private static <S extends Record> LoadedPolicy<S> with(Wire.Request.Load file, ScalingPolicy<S> policy)
            throws NotTaken {
        try {
            Optional<String> wrongName = PolicyCheck.wrongName(policy.name());
            if (wrongName.isPresent()) {
                throw new NotTaken(file.fileName(), wrongName.get());
            }
            @Nullable S defaults = policy.defaults();
            if (defaults == null) {
                throw new NotTaken(file.fileName(), "defaults() answers null instead of its settings record");
            }
            return new LoadedPolicy<>(policy, settings(file, policy.name(), defaults));
        } catch (RuntimeException | LinkageError thrown) {
            throw new NotTaken(file.fileName(), "its name, defaults or settings threw " + thrown);
        }
    }

    private static <S extends Record> S settings(Wire.Request.Load file, String name, S defaults) throws NotTaken {
        try {
            Map<String, String> any = file.settings().getOrDefault("", Map.of());
            return SettingTexts.with(defaults, file.settings().getOrDefault(name, any));
        } catch (IllegalArgumentException refused) {
            throw new NotTaken(file.fileName(), "scaler.settings: " + refused.getMessage());
        }
    }

    String name() {
        return policy.name();
    }

    List<SettingDescription> settings() {
        return SettingDescription.of(policy.defaults());
    }

    /** @param nanos of the policy's own time */
    Optional<String> check(int seeds, Duration deadline, LongSupplier nanos, PolicyCheck.Watch watch) {
        return new PolicyCheck<>(policy, settings, FirstFitPlanner::new, nanos, deadline, watch).run(seeds);
    }

    List<Wish> decide(ClusterSnapshot now) {
        return List.copyOf(policy.decide(now, settings, new FirstFitPlanner(now)));
    }

    /** Whether this stands in the plugin's own code. */
    boolean isOwn(StackTraceElement frame) {
        return "policy".equals(frame.getClassLoaderName());
    }

    private static Class<?> ofSource(String fileName, String source, List<Path> api) throws NotTaken {
        Map<String, byte[]> classes = PolicyCompiler.compile(fileName, source, api);
        // As long as the child lives.
        @SuppressWarnings("resource")
        PluginLoader loader = new PluginLoader(classes);
        List<Class<?>> policies = new ArrayList<>();
        for (String name : classes.keySet()) {
            Class<?> type = named(fileName, name, loader);
            if (isPolicy(type)) {
                policies.add(type);
            }
        }
        if (policies.size() != 1) {
            throw new NotTaken(
                    fileName,
                    "it has " + policies.size() + " classes that implement ScalingPolicy; allowed: exactly one");
        }
        return policies.getFirst();
    }

    private static Class<?> ofJar(String fileName, byte[] content, Path work) throws NotTaken {
        try {
            Path jar = Files.write(work.resolve("policy.jar"), content);
            String name;
            try (JarFile opened = new JarFile(jar.toFile())) {
                name = className(fileName, opened);
            }
            // As long as the child lives.
            @SuppressWarnings("resource")
            PluginLoader loader = new PluginLoader(Map.of(), jar.toUri().toURL());
            Class<?> type = named(fileName, name, loader);
            if (!isPolicy(type)) {
                throw new NotTaken(fileName, name + " is no class that implements ScalingPolicy");
            }
            return type;
        } catch (IOException unreadable) {
            throw new NotTaken(fileName, "it is no jar that can be read: " + unreadable.getMessage());
        }
    }

    private static String className(String fileName, JarFile jar) throws IOException, NotTaken {
        @Nullable
        String attribute = jar.getManifest() == null
                ? null
                : jar.getManifest().getMainAttributes().getValue(ATTRIBUTE);
        if (attribute != null) {
            return attribute.strip();
        }
        ZipEntry service = jar.getEntry(SERVICE);
        List<String> names = service == null ? List.of() : lines(jar.getInputStream(service));
        if (names.size() != 1) {
            throw new NotTaken(
                    fileName,
                    "it names " + names.size() + " policies; allowed: one, in " + SERVICE + " or as " + ATTRIBUTE
                            + " in its manifest");
        }
        return names.getFirst();
    }

    private static List<String> lines(InputStream in) throws IOException {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            return reader.lines()
                    .limit(MOST_SERVICE_LINES)
                    .map(line -> line.replaceFirst("#.*", "").strip())
                    .filter(line -> !line.isEmpty())
                    .toList();
        }
    }

    private static Class<?> named(String fileName, String name, PluginLoader loader) throws NotTaken {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError missing) {
            throw new NotTaken(fileName, "class " + name + " cannot be loaded: " + why(missing));
        }
    }

    private static boolean isPolicy(Class<?> type) {
        return ScalingPolicy.class.isAssignableFrom(type)
                && !type.isInterface()
                && !Modifier.isAbstract(type.getModifiers());
    }

    private static ScalingPolicy<?> instance(String fileName, Class<?> type) throws NotTaken {
        try {
            Constructor<?> constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            return (ScalingPolicy<?>) constructor.newInstance();
        } catch (NoSuchMethodException missing) {
            throw new NotTaken(fileName, type.getName() + " has no constructor without parameters");
        } catch (InvocationTargetException thrown) {
            Throwable cause = thrown.getCause() == null ? thrown : thrown.getCause();
            throw new NotTaken(fileName, "the constructor of " + type.getName() + " threw " + why(cause));
        } catch (ReflectiveOperationException | LinkageError unmakeable) {
            throw new NotTaken(fileName, type.getName() + " cannot be made: " + why(unmakeable));
        }
    }

    /** The first cause tells more than what it was wrapped in. */
    static String why(Throwable thrown) {
        Throwable last = thrown;
        for (int depth = 0; depth < 5 && last.getCause() != null; depth++) {
            last = last.getCause();
        }
        return last.toString();
    }
}
