package org.spillway.slurm.conf;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** The Lua that Slurm's plugins use, from Debian's library of it. */
final class Lua implements AutoCloseable {
    private static final List<String> LIBRARIES = List.of("liblua5.1.so.0", "liblua5.4.so.0", "liblua5.3.so.0");
    private static final MemoryLayout POINTER = ValueLayout.ADDRESS;
    private static final MemoryLayout INT = ValueLayout.JAVA_INT;

    private final Arena arena = Arena.ofShared();
    private final SymbolLookup library;
    private final MemorySegment state;

    private Lua(String name) throws Throwable {
        library = SymbolLookup.libraryLookup(name, arena);
        state = (MemorySegment) handle("luaL_newstate", FunctionDescriptor.of(ValueLayout.ADDRESS))
                .invoke();
        handle("luaL_openlibs", FunctionDescriptor.ofVoid(POINTER)).invoke(state);
    }

    /** Empty where no Lua is installed. */
    static Optional<Lua> open() throws Throwable {
        for (var name : LIBRARIES) {
            try {
                return Optional.of(new Lua(name));
            } catch (IllegalArgumentException missing) {
                continue;
            }
        }
        return Optional.empty();
    }

    private MethodHandle handle(String name, FunctionDescriptor form) {
        return Linker.nativeLinker().downcallHandle(library.find(name).orElseThrow(), form);
    }

    /** Runs a chunk that returns one text. @throws IllegalStateException with Lua's own words */
    String run(String chunk) throws Throwable {
        try (var call = Arena.ofConfined()) {
            int loaded = (int) handle("luaL_loadstring", FunctionDescriptor.of(ValueLayout.JAVA_INT, POINTER, POINTER))
                    .invoke(state, call.allocateFrom(chunk));
            if (loaded != 0 || called() != 0) {
                throw new IllegalStateException(text());
            }
            return text();
        }
    }

    private int called() throws Throwable {
        if (library.find("lua_pcall").isPresent()) {
            return (int) handle("lua_pcall", FunctionDescriptor.of(ValueLayout.JAVA_INT, POINTER, INT, INT, INT))
                    .invoke(state, 0, 1, 0);
        }
        return (int) handle(
                        "lua_pcallk",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT, POINTER, INT, INT, INT, ValueLayout.JAVA_LONG, POINTER))
                .invoke(state, 0, 1, 0, 0L, MemorySegment.NULL);
    }

    private String text() throws Throwable {
        try (var call = Arena.ofConfined()) {
            var length = call.allocate(ValueLayout.JAVA_LONG);
            var text = (MemorySegment)
                    handle("lua_tolstring", FunctionDescriptor.of(ValueLayout.ADDRESS, POINTER, INT, POINTER))
                            .invoke(state, -1, length);
            if (text.equals(MemorySegment.NULL)) {
                return "nil";
            }
            var bytes = text.reinterpret(length.get(ValueLayout.JAVA_LONG, 0)).toArray(ValueLayout.JAVA_BYTE);
            var said = new String(bytes, StandardCharsets.UTF_8);
            handle("lua_settop", FunctionDescriptor.ofVoid(POINTER, INT)).invoke(state, 0);
            return said;
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
