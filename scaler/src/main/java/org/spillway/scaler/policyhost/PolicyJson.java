package org.spillway.scaler.policyhost;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedClass;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Our records as JSON, by their components alone: one that is added needs no work here, and one that is missing becomes
 * what the record's constructor makes of null. A sealed interface's records carry their simple name as {@code type}.
 */
final class PolicyJson {
    static final ObjectMapper MAPPER = JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .visibility(PropertyAccessor.GETTER, JsonAutoDetect.Visibility.NONE)
            .visibility(PropertyAccessor.IS_GETTER, JsonAutoDetect.Visibility.NONE)
            .visibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY)
            .annotationIntrospector(new SealedTypes())
            .build();

    private PolicyJson() {}

    private static final class SealedTypes extends JacksonAnnotationIntrospector {
        private static final long serialVersionUID = 1;

        @Override
        public JsonTypeInfo.@Nullable Value findPolymorphicTypeInfo(MapperConfig<?> config, Annotated annotated) {
            return sealed(annotated.getRawType()) == null
                    ? super.findPolymorphicTypeInfo(config, annotated)
                    : JsonTypeInfo.Value.construct(
                            JsonTypeInfo.Id.NAME, JsonTypeInfo.As.PROPERTY, "type", null, false, true, null);
        }

        @Override
        public @Nullable List<NamedType> findSubtypes(Annotated annotated) {
            Class<?> sealed = sealed(annotated.getRawType());
            return sealed == null
                    ? super.findSubtypes(annotated)
                    : Arrays.stream(sealed.getPermittedSubclasses())
                            .map(type -> new NamedType(type, name(type)))
                            .toList();
        }

        @Override
        public @Nullable String findTypeName(AnnotatedClass annotated) {
            return annotated.getRawType().isRecord() && sealed(annotated.getRawType()) != null
                    ? name(annotated.getRawType())
                    : super.findTypeName(annotated);
        }

        /** The sealed interface of ours that it is, or is a record of. */
        private static @Nullable Class<?> sealed(Class<?> type) {
            if (!type.getName().startsWith("org.spillway.")) {
                return null;
            }
            if (type.isSealed() && type.isInterface()) {
                return type;
            }
            return Arrays.stream(type.getInterfaces())
                    .filter(one -> one.isSealed() && one.getName().startsWith("org.spillway."))
                    .findFirst()
                    .orElse(null);
        }

        private static String name(Class<?> type) {
            return type.getSimpleName().toLowerCase(Locale.ROOT);
        }
    }
}
