package org.spillway.proof;

import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationElement;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.invoke.MethodType;
import java.lang.reflect.AccessFlag;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Methods and classes that can be reached from where a program begins, by the hierarchy alone (Dean, Grove, Chambers: Optimization
 * of Object-Oriented Programs Using Static Class Hierarchy Analysis, 1995): whoever calls a method may mean any that overrides
 * it. Methods that override one of a library are reached with their class.
 */
final class Reach {
    private final Map<String, ClassModel> house;
    private final Map<String, List<String>> below = new HashMap<>();
    private final Map<String, Set<String>> ofLibraries = new HashMap<>();
    private final Set<String> classes = new HashSet<>();
    private final Set<Member> members = new HashSet<>();
    private final Set<Member> called = new HashSet<>();
    private final Deque<Member> toRead = new ArrayDeque<>();

    /** A method, by the internal name of its class. */
    record Member(String owner, String name, String type) {}

    Reach(Map<String, ClassModel> house) {
        this.house = house;
        house.forEach((name, model) -> parents(model)
                .forEach(parent ->
                        below.computeIfAbsent(parent, p -> new ArrayList<>()).add(name)));
    }

    boolean has(String type) {
        return classes.contains(type);
    }

    boolean has(String type, MethodModel method) {
        return members.contains(member(type, method));
    }

    static Member member(String type, MethodModel method) {
        return new Member(
                type, method.methodName().stringValue(), method.methodType().stringValue());
    }

    /** A class that is made, or begun at its {@code main}, by somebody else. */
    void beginAt(String type) {
        type(type);
        for (MethodModel method : house.get(type).methods()) {
            if (method.methodName().equalsString("main") || isPlainConstructor(method)) {
                method(member(type, method));
            }
        }
        follow();
    }

    void beginAt(String type, MethodModel method) {
        call(type, method.methodName().stringValue(), method.methodType().stringValue());
        follow();
    }

    /** A class of which somebody else may call all that there is. */
    void beginAtAll(String type) {
        type(type);
        for (MethodModel method : house.get(type).methods()) {
            call(type, method.methodName().stringValue(), method.methodType().stringValue());
        }
        follow();
    }

    private static boolean isPlainConstructor(MethodModel method) {
        return method.methodName().equalsString("<init>")
                && method.methodType().stringValue().startsWith("()");
    }

    private void follow() {
        while (!toRead.isEmpty()) {
            Member next = toRead.poll();
            for (MethodModel method : house.get(next.owner).methods()) {
                if (method.methodName().equalsString(next.name)
                        && method.methodType().equalsString(next.type)) {
                    annotations(method);
                    method.code().ifPresent(code -> code.forEach(this::read));
                }
            }
        }
    }

    private void read(CodeElement element) {
        switch (element) {
            case InvokeInstruction call ->
                call(
                        call.owner().asInternalName(),
                        call.name().stringValue(),
                        call.type().stringValue());
            case FieldInstruction field -> type(field.owner().asInternalName());
            case NewObjectInstruction made -> type(made.className().asInternalName());
            case TypeCheckInstruction check -> type(check.type().asInternalName());
            case InvokeDynamicInstruction dynamic -> dynamic.bootstrapArgs().forEach(this::constant);
            case ConstantInstruction constant -> constant(constant.constantValue());
            default -> {}
        }
    }

    private void constant(ConstantDesc constant) {
        switch (constant) {
            case ClassDesc type -> type(internal(type));
            case DirectMethodHandleDesc handle -> {
                if (handle.lookupDescriptor().charAt(0) != '(') {
                    type(internal(handle.owner()));
                } else {
                    call(internal(handle.owner()), handle.methodName(), handle.lookupDescriptor());
                }
            }
            case DynamicConstantDesc<?> dynamic -> dynamic.bootstrapArgsList().forEach(this::constant);
            default -> {}
        }
    }

    private static String internal(ClassDesc type) {
        ClassDesc element = type;
        while (element.isArray()) {
            element = element.componentType();
        }
        String text = element.descriptorString();
        return element.isPrimitive() ? text : text.substring(1, text.length() - 1);
    }

    private void call(String owner, String name, String type) {
        if (!called.add(new Member(owner, name, type))) {
            return;
        }
        type(owner);
        up(owner, name, type);
        if (!name.equals("<init>")) {
            down(owner, name, type);
        }
    }

    private void up(String owner, String name, String type) {
        ClassModel model = house.get(owner);
        if (model != null && !declared(owner, model, name, type)) {
            parents(model).forEach(parent -> up(parent, name, type));
        }
    }

    private void down(String owner, String name, String type) {
        for (String child : below.getOrDefault(owner, List.of())) {
            declared(child, house.get(child), name, type);
            down(child, name, type);
        }
    }

    private boolean declared(String owner, ClassModel model, String name, String type) {
        for (MethodModel method : model.methods()) {
            if (method.methodName().equalsString(name) && method.methodType().equalsString(type)) {
                method(new Member(owner, name, type));
                return true;
            }
        }
        return false;
    }

    private void method(Member member) {
        if (members.add(member)) {
            toRead.add(member);
        }
    }

    private void type(String raw) {
        String name = raw.startsWith("[") ? raw.replaceAll("^\\[+L?|;$", "") : raw;
        ClassModel model = house.get(name);
        if (model == null || !classes.add(name)) {
            return;
        }
        parents(model).forEach(this::type);
        annotations(model);
        model.fields().forEach(this::annotations);
        Set<String> library = library(model);
        for (MethodModel method : model.methods()) {
            String signature =
                    method.methodName().stringValue() + method.methodType().stringValue();
            if (method.methodName().equalsString("<clinit>")
                    || library.contains(signature)
                    || isMadeByAnotherHand(model, method)) {
                method(member(name, method));
            }
        }
    }

    /** Jackson and pattern matching make and read records, picocli and Jackson what is annotated; enums bring two methods. */
    private static boolean isMadeByAnotherHand(ClassModel model, MethodModel method) {
        if (method.findAttribute(Attributes.runtimeVisibleAnnotations()).isPresent()) {
            return true;
        }
        return model.findAttribute(Attributes.record())
                .map(record -> {
                    List<String> types = record.components().stream()
                            .map(part -> part.descriptor().stringValue())
                            .toList();
                    boolean whole = method.methodName().equalsString("<init>")
                            && method.methodTypeSymbol().parameterList().stream()
                                    .map(ClassDesc::descriptorString)
                                    .toList()
                                    .equals(types);
                    return whole
                            || (method.methodType().stringValue().startsWith("()")
                                    && record.components().stream()
                                            .anyMatch(part -> part.name()
                                                    .equalsString(
                                                            method.methodName().stringValue())));
                })
                .orElse(method.flags().has(AccessFlag.STATIC)
                        && model.flags().has(AccessFlag.ENUM)
                        && (method.methodName().equalsString("values")
                                || method.methodName().equalsString("valueOf")));
    }

    private void annotations(AttributedElement element) {
        element.findAttribute(Attributes.runtimeVisibleAnnotations())
                .ifPresent(all -> all.annotations().forEach(this::annotation));
    }

    private void annotation(Annotation annotation) {
        type(internal(annotation.classSymbol()));
        for (AnnotationElement part : annotation.elements()) {
            value(part.value());
        }
    }

    private void value(AnnotationValue value) {
        switch (value) {
            case AnnotationValue.OfClass type -> {
                String name = internal(type.classSymbol());
                if (house.containsKey(name) && !classes.contains(name)) {
                    type(name);
                    house.get(name).methods().stream()
                            .filter(Reach::isPlainConstructor)
                            .forEach(method -> method(member(name, method)));
                }
            }
            case AnnotationValue.OfArray array -> array.values().forEach(this::value);
            case AnnotationValue.OfAnnotation nested -> annotation(nested.annotation());
            default -> {}
        }
    }

    static List<String> parents(ClassModel model) {
        List<String> parents = new ArrayList<>();
        model.superclass().map(ClassEntry::asInternalName).ifPresent(parents::add);
        model.interfaces().forEach(type -> parents.add(type.asInternalName()));
        return parents;
    }

    /** Names and types of all methods that a class has of libraries. */
    private Set<String> library(ClassModel model) {
        Set<String> all = new HashSet<>();
        for (String parent : parents(model)) {
            ClassModel ours = house.get(parent);
            all.addAll(ours != null ? library(ours) : ofLibraries.computeIfAbsent(parent, Reach::declared));
        }
        return all;
    }

    private static Set<String> declared(String library) {
        Set<String> all = new HashSet<>();
        try {
            Class<?> type = Class.forName(library.replace('/', '.'), false, Reach.class.getClassLoader());
            for (Class<?> each = type; each != null; each = each.getSuperclass()) {
                for (Method method : each.getDeclaredMethods()) {
                    if (!Modifier.isPrivate(method.getModifiers())) {
                        all.add(signature(method));
                    }
                }
            }
            for (Method method : type.getMethods()) {
                all.add(signature(method));
            }
        } catch (ClassNotFoundException absent) {
            throw new IllegalStateException(absent);
        }
        return all;
    }

    private static String signature(Method method) {
        return method.getName()
                + MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                        .toMethodDescriptorString();
    }
}
