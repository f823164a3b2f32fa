package org.spillway.scaler.policyhost;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Classes of one plugin. It sees its own, the module java.base, and what policies are written against; the rest of the
 * child, such as the wire, is not there for it. This keeps plugins from leaning on what may change; what keeps them from
 * harm is the process around them.
 */
final class PluginLoader extends URLClassLoader {
    private static final ClassLoader API = PluginLoader.class.getClassLoader();

    private final Map<String, byte[]> compiled;

    /** @param jars of classes beside the compiled ones */
    PluginLoader(Map<String, byte[]> compiled, URL... jars) {
        super("policy", jars, null);
        this.compiled = Map.copyOf(compiled);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            return known == null ? first(name) : known;
        }
    }

    private Class<?> first(String name) throws ClassNotFoundException {
        if (name.startsWith("org.spillway.policy.") || name.startsWith("org.jspecify.annotations.")) {
            return API.loadClass(name);
        }
        if (name.startsWith("java.")) {
            Class<?> platform = ClassLoader.getPlatformClassLoader().loadClass(name);
            if ("java.base".equals(platform.getModule().getName())) {
                return platform;
            }
            throw notSeen(name);
        }
        try {
            return findClass(name);
        } catch (ClassNotFoundException notOwn) {
            Class<?> internal = inBase(name);
            if (internal == null) {
                throw notSeen(name);
            }
            return internal;
        }
    }

    private static @Nullable Class<?> inBase(String name) {
        try {
            Class<?> type = ClassLoader.getPlatformClassLoader().loadClass(name);
            return "java.base".equals(type.getModule().getName()) ? type : null;
        } catch (ClassNotFoundException none) {
            return null;
        }
    }

    private static ClassNotFoundException notSeen(String name) {
        return new ClassNotFoundException(
                name + ", which a policy may not see: it has its own classes, java.base and org.spillway.policy");
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes = compiled.get(name);
        return bytes == null ? super.findClass(name) : defineClass(name, bytes, 0, bytes.length);
    }
}
