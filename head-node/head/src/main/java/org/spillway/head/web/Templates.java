package org.spillway.head.web;

import io.pebbletemplates.pebble.PebbleEngine;
import io.pebbletemplates.pebble.cache.tag.ConcurrentMapTagCache;
import io.pebbletemplates.pebble.cache.template.ConcurrentMapTemplateCache;
import io.pebbletemplates.pebble.extension.AbstractExtension;
import io.pebbletemplates.pebble.extension.Filter;
import io.pebbletemplates.pebble.loader.ClasspathLoader;
import io.pebbletemplates.pebble.template.EvaluationContext;
import io.pebbletemplates.pebble.template.PebbleTemplate;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Money;

/**
 * HTML from the templates beside this class. What a template prints is escaped, all of it: none of them uses
 * {@code raw}, which a test sees to. A name that a template misspells is an error and not a gap.
 */
final class Templates {
    private final PebbleEngine engine;

    /** Times are UTC, as everywhere. */
    Templates() {
        var loader = new ClasspathLoader(Templates.class.getClassLoader());
        loader.setPrefix("org/spillway/head/web/templates");
        loader.setSuffix(".html");
        engine = new PebbleEngine.Builder()
                .loader(loader)
                .autoEscaping(true)
                .strictVariables(true)
                .defaultLocale(Locale.ROOT)
                .templateCache(new ConcurrentMapTemplateCache())
                .tagCache(new ConcurrentMapTagCache())
                .extension(new Words())
                .build();
    }

    /** @param name of the template, without its ending */
    String render(String name, Map<String, Object> model) {
        var html = new StringWriter();
        try {
            engine.getTemplate(name).evaluate(html, model, Locale.ROOT);
        } catch (IOException impossible) {
            throw new UncheckedIOException("a string can be written to", impossible);
        }
        return html.toString();
    }

    /** Filters that turn quantities into words. */
    private static final class Words extends AbstractExtension {
        private final DateTimeFormatter clock =
                DateTimeFormatter.ofPattern("HH:mm:ss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
        private final DateTimeFormatter full = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss'Z'", Locale.ROOT)
                .withZone(ZoneOffset.UTC);

        @Override
        public Map<String, Filter> getFilters() {
            return Map.of(
                    "clock", new One<>(Instant.class, clock::format),
                    "full", new One<>(Instant.class, full::format),
                    "duration", new One<>(Duration.class, Texts::duration),
                    "seconds", new One<>(Long.class, seconds -> Texts.duration(Duration.ofSeconds(seconds))),
                    "bytes", new One<>(Long.class, Texts::bytes),
                    "money", new One<>(Money.class, Texts::money),
                    "tone", new One<>(Object.class, Texts::tone));
        }
    }

    private record One<T>(Class<T> type, Function<T, String> words) implements Filter {
        @Override
        public @Nullable List<String> getArgumentNames() {
            return null;
        }

        @Override
        public Object apply(
                Object input, Map<String, Object> arguments, PebbleTemplate self, EvaluationContext context, int line) {
            return words.apply(type.cast(input));
        }
    }
}
