import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * Reads a bill of materials (CycloneDX, XML): lists what runs with its licences, and refuses licences and versions.
 * Arguments: the bill, the list of allowed licences, the list of known vulnerabilities. Exit code 1 when something is refused.
 */
final class Dependencies {
    private static final String OURS = "org.spillway";

    private Dependencies() {}

    record Component(String group, String name, String version, List<String> licences) {
        String artifact() {
            return group + ":" + name;
        }

        @Override
        public String toString() {
            return artifact() + ":" + version;
        }
    }

    /**
     * A line of the list of vulnerabilities.
     *
     * @param from the first version that has it; empty for all before {@code mended}
     * @param mended the first version without it
     */
    record Vulnerability(String artifact, String from, String mended, String id, String words) {
        boolean isIn(Component component) {
            return component.artifact().equals(artifact)
                    && compare(component.version(), mended) < 0
                    && (from.isEmpty() || compare(component.version(), from) >= 0);
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<Component> components = components(Path.of(arguments[0]));
        Set<String> allowed = new TreeSet<>(lines(Path.of(arguments[1])));
        List<Vulnerability> known = new ArrayList<>();
        for (String line : lines(Path.of(arguments[2]))) {
            known.add(vulnerability(line));
        }
        if (components.isEmpty()) {
            throw new IllegalArgumentException(arguments[0] + " lists nothing");
        }
        List<String> refused = new ArrayList<>();
        for (Component each : components) {
            System.out.println(each + "  " + String.join(" or ", each.licences()));
            // Several licences are offered for choice: one that is allowed is enough.
            if (each.licences().stream().noneMatch(allowed::contains)) {
                refused.add(each + ": licence " + each.licences() + " is not in " + arguments[1]);
            }
            for (Vulnerability one : known) {
                if (one.isIn(each)) {
                    refused.add(each + ": " + one.id() + ", " + one.words() + "; mended in " + one.mended());
                }
            }
        }
        refused.forEach(line -> System.err.println("refused: " + line));
        System.err.println(components.size() + " libraries, " + known.size() + " known vulnerabilities looked for, "
                + refused.size() + " refused");
        System.exit(refused.isEmpty() ? 0 : 1);
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .toList();
    }

    /** {@code GROUP:NAME FROM..MENDED ID WORDS}; without FROM it is in every version before MENDED. */
    private static Vulnerability vulnerability(String line) {
        String[] parts = line.split("\\s+", 4);
        int dots = parts.length < 4 ? -1 : parts[1].indexOf("..");
        if (dots < 0) {
            throw new IllegalArgumentException("not 'GROUP:NAME FROM..MENDED ID WORDS': " + line);
        }
        return new Vulnerability(
                parts[0], parts[1].substring(0, dots), parts[1].substring(dots + 2), parts[2], parts[3]);
    }

    /** By numbers, so that 1.10 is after 1.9; what stands behind them, such as {@code -jre}, does not count. */
    static int compare(String one, String other) {
        long[] a = numbers(one);
        long[] b = numbers(other);
        for (int i = 0; i < Math.max(a.length, b.length); i++) {
            int order = Long.compare(i < a.length ? a[i] : 0, i < b.length ? b[i] : 0);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private static long[] numbers(String version) {
        List<Long> numbers = new ArrayList<>();
        for (String part : version.split("[.]", -1)) {
            String digits = part.replaceAll("[^0-9].*", "");
            if (digits.isEmpty() || digits.length() > 18) {
                break;
            }
            numbers.add(Long.parseLong(digits));
            if (digits.length() < part.length()) {
                break;
            }
        }
        return numbers.stream().mapToLong(Long::longValue).toArray();
    }

    private static List<Component> components(Path bill) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        Element root = factory.newDocumentBuilder().parse(bill.toFile()).getDocumentElement();
        List<Component> components = new ArrayList<>();
        for (Element all : children(root, "components")) {
            for (Element each : children(all, "component")) {
                if (!text(each, "group").equals(OURS)) {
                    components.add(new Component(
                            text(each, "group"), text(each, "name"), text(each, "version"), licences(each)));
                }
            }
        }
        components.sort((a, b) -> a.toString().compareTo(b.toString()));
        return components;
    }

    private static List<String> licences(Element component) {
        List<String> licences = new ArrayList<>();
        for (Element all : children(component, "licenses")) {
            for (Element each : children(all, "license")) {
                String id = text(each, "id");
                licences.add(id.isEmpty() ? text(each, "name") : id);
            }
            for (Element each : children(all, "expression")) {
                licences.add(each.getTextContent().strip());
            }
        }
        return licences;
    }

    private static List<Element> children(Element of, String name) {
        List<Element> children = new ArrayList<>();
        for (Node each = of.getFirstChild(); each != null; each = each.getNextSibling()) {
            if (each instanceof Element element && element.getNodeName().equals(name)) {
                children.add(element);
            }
        }
        return children;
    }

    private static String text(Element of, String name) {
        List<Element> found = children(of, name);
        return found.isEmpty() ? "" : found.getFirst().getTextContent().strip();
    }
}
