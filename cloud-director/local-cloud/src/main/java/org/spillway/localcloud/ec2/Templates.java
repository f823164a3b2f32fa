package org.spillway.localcloud.ec2;

import com.fasterxml.jackson.core.type.TypeReference;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.spillway.localcloud.StateDirectory;

/** Launch templates, each with one version. */
final class Templates {
    private static final Pages.Kind KIND = new Pages.Kind(
            "launchTemplates",
            "LaunchTemplateId",
            "",
            "InvalidLaunchTemplateId.NotFound",
            Set.of("launch-template-name"));
    /** RequestLaunchTemplateData and ResponseLaunchTemplateData: lists have other names in answers. */
    private static final Map<String, String> LISTS = Map.of(
            "BlockDeviceMapping", "blockDeviceMappingSet",
            "NetworkInterface", "networkInterfaceSet",
            "TagSpecification", "tagSpecificationSet",
            "Tag", "tagSet",
            "SecurityGroupId", "securityGroupIdSet",
            "SecurityGroup", "securityGroupSet",
            "ElasticGpuSpecification", "elasticGpuSpecificationSet",
            "ElasticInferenceAccelerator", "elasticInferenceAcceleratorSet",
            "LicenseSpecification", "licenseSet");

    private static final Set<String> VERSIONS = Set.of("", "1", "$Default", "$Latest");

    private final Things things;

    Templates(Things things) {
        this.things = things;
    }

    void addTo(Map<String, Calls.Call> calls) {
        calls.put("CreateLaunchTemplate", this::create);
        calls.put(
                "DescribeLaunchTemplates",
                (query, out, context) ->
                        Pages.write(query, out, KIND, things.of("launch-template"), each -> template(out, each)));
        calls.put("DescribeLaunchTemplateVersions", this::versions);
        calls.put("DeleteLaunchTemplate", this::delete);
    }

    /** Parameters of a template that a launch names. */
    Query data(Query named) throws Ec2Error, IOException {
        return data(find(named));
    }

    private static Query data(Thing template) throws IOException {
        return Query.of(
                StateDirectory.JSON.readValue(template.fact("data"), new TypeReference<Map<String, String>>() {}));
    }

    /** Tags that EC2 gives to instances which were launched by it. */
    Map<String, String> tags(Query named) throws Ec2Error {
        return Map.of("aws:ec2launchtemplate:id", find(named).id(), "aws:ec2launchtemplate:version", "1");
    }

    /** The launch with the template beneath it: a parameter of the launch takes the place of the template's whole. */
    Query under(Query asked, Query named) throws Ec2Error, IOException {
        Map<String, String> all = new HashMap<>(data(named).all());
        Set<String> own = new HashSet<>();
        asked.all().keySet().forEach(key -> own.add(first(key)));
        all.keySet().removeIf(key -> own.contains(first(key)));
        all.putAll(asked.all());
        return Query.of(all);
    }

    private static String first(String key) {
        return key.contains(".") ? key.substring(0, key.indexOf('.')) : key;
    }

    private Thing find(Query named) throws Ec2Error {
        String id = named.get("LaunchTemplateId");
        String name = named.get("LaunchTemplateName");
        if (id.isEmpty() == name.isEmpty()) {
            throw new Ec2Error(
                    "InvalidParameterCombination", "Either the launch template id or its name has to be given.");
        }
        Thing found = (id.isEmpty() ? byName(name) : things.find("launch-template", id))
                .orElseThrow(() -> new Ec2Error(
                        id.isEmpty()
                                ? "InvalidLaunchTemplateName.NotFoundException"
                                : "InvalidLaunchTemplateId.NotFound",
                        "The specified launch template, " + id + name + ", does not exist."));
        if (!VERSIONS.contains(named.get("Version"))) {
            throw noVersion(named.get("Version"));
        }
        return found;
    }

    /** The template that a call is about, whose own parameter Version is that of the API. */
    private static Query ofCall(Query query) {
        Map<String, String> named = new HashMap<>(query.all());
        named.remove("Version");
        return Query.of(named);
    }

    private static Ec2Error noVersion(String version) {
        return new Ec2Error(
                "InvalidLaunchTemplateId.VersionNotFound",
                "Could not find the specified version " + version + " for the launch template.");
    }

    private Optional<Thing> byName(String name) {
        return things.of("launch-template").stream()
                .filter(each -> each.fact("launch-template-name").equals(name))
                .findFirst();
    }

    private void create(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String name = query.required("LaunchTemplateName");
        if (byName(name).isPresent()) {
            throw new Ec2Error(
                    "InvalidLaunchTemplateName.AlreadyExistsException", "Launch template name already in use.");
        }
        String id = Things.newId("lt");
        Map<String, String> facts = Map.of(
                "launch-template-name",
                name,
                "data",
                StateDirectory.JSON.writeValueAsString(
                        query.below("LaunchTemplateData.").all()));
        Thing made = things.put(new Thing(id, "launch-template", facts, query.tagsFor("launch-template")));
        out.open("launchTemplate");
        template(out, made);
        out.close("launchTemplate");
        context.note(name);
    }

    private static void template(Xml out, Thing template) {
        out.leaf("launchTemplateId", template.id())
                .leaf("launchTemplateName", template.fact("launch-template-name"))
                .leaf("defaultVersionNumber", 1)
                .leaf("latestVersionNumber", 1)
                .tags(template.tags());
    }

    private void versions(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        Thing template = find(ofCall(query));
        for (String version : query.list("LaunchTemplateVersion")) {
            if (!VERSIONS.contains(version)) {
                throw noVersion(version);
            }
        }
        Query data = data(template);
        out.items("launchTemplateVersionSet", List.of(template), each -> {
            out.leaf("launchTemplateId", each.id())
                    .leaf("launchTemplateName", each.fact("launch-template-name"))
                    .leaf("versionNumber", 1)
                    .leaf("defaultVersion", true);
            out.open("launchTemplateData");
            write(out, data);
            out.close("launchTemplateData");
        });
        context.note(template.id());
    }

    /** Parameters as the answer has them: nested, and with a small first letter. */
    private static void write(Xml out, Query data) {
        Map<String, String> leaves = new TreeMap<>();
        Set<String> nested = new TreeSet<>();
        data.all().forEach((key, value) -> {
            if (key.contains(".")) {
                nested.add(first(key));
            } else {
                leaves.put(key, value);
            }
        });
        leaves.forEach((key, value) -> out.leaf(small(key), value));
        for (String name : nested) {
            String list = LISTS.get(name);
            if (list == null) {
                out.open(small(name));
                write(out, data.below(name + "."));
                out.close(small(name));
            } else if (data.list(name).isEmpty()) {
                out.items(list, data.structures(name), each -> write(out, each));
            } else {
                out.items(list, data.list(name), each -> out.text(each));
            }
        }
    }

    private static String small(String name) {
        return name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
    }

    private void delete(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        Thing found = find(ofCall(query));
        things.removeAll(List.of(found.id()));
        out.open("launchTemplate");
        template(out, found);
        out.close("launchTemplate");
        context.note(found.id());
    }
}
