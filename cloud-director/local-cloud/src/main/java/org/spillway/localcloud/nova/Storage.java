package org.spillway.localcloud.nova;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.spillway.cloud.Instance;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.FrontReply;

/** Glance with one stock image, and Cinder: volumes and snapshots that hold nothing. */
final class Storage implements NovaFront.Service {
    static final String STOCK_IMAGE = "5f0c0000-0000-4000-8000-000000000001";
    /** The first is the default, as Cinder names it since Train. */
    private static final List<String> TYPES = List.of("__DEFAULT__", "fast");

    private final CloudBehind cloud;
    private final Things images;
    private final Things volumes;
    private final Things snapshots;

    Storage(CloudBehind cloud, Path folder) throws IOException {
        this.cloud = cloud;
        this.images = new Things("", "images", folder);
        this.volumes = new Things("volume", "volumes", folder);
        this.snapshots = new Things("snapshot", "snapshots", folder);
        if (images.find(STOCK_IMAGE).isEmpty()) {
            images.shelf()
                    .put(List.of(Said.object()
                            .put("id", STOCK_IMAGE)
                            .put("name", "stock")
                            .put("status", "active")
                            .put("visibility", "public")));
        }
    }

    /** Nova asks Cinder and refuses what it does not know: nova, exception.VolumeTypeNotFound. */
    void checkType(String type) throws Said.No {
        if (!type.isEmpty() && !TYPES.contains(type)) {
            throw Said.No.bad("Volume type " + type + " could not be found.");
        }
    }

    /** "List all volume types" of the Block Storage API. */
    private static FrontReply types() {
        ObjectNode body = Said.object();
        var types = body.putArray("volume_types");
        for (String name : TYPES) {
            types.addObject()
                    .put("id", "5f0c0000-0000-4000-8000-00000000001" + TYPES.indexOf(name))
                    .put("name", name)
                    .put("is_public", true);
        }
        return Said.json(200, body, "volume types");
    }

    boolean hasImage(String id) {
        return images.find(id).isPresent();
    }

    /** A boot volume; it goes with its server. */
    void boot(String server, int sizeGiB, String type) throws IOException {
        ObjectNode volume = Said.object()
                .put("id", Things.newId())
                .put("name", "")
                .put("size", sizeGiB)
                .put("status", "in-use")
                .put("volume_type", type.isEmpty() ? TYPES.getFirst() : type)
                .put("goesWithServer", true);
        volume.putObject("metadata");
        volume.putArray("attachments").addObject().put("server_id", server);
        volumes.shelf().put(List.of(volume));
    }

    @Override
    public FrontReply answer(NovaFront.Asked asked) throws IOException, Said.No {
        forgetVolumesOfTheGone();
        if (asked.word(0).equals("types") && asked.method().equals("GET")) {
            return types();
        }
        Things things = switch (asked.word(0)) {
            case "images" -> images;
            case "volumes" -> volumes;
            case "snapshots" -> snapshots;
            default -> throw Said.No.missing("Path", String.join("/", asked.words()));
        };
        String id = asked.word(1);
        boolean listing = id.isEmpty() || id.equals("detail");
        return switch (asked.method()) {
            case "GET" -> {
                if (things == images && !listing) {
                    yield Said.json(200, NovaBroken.image(cloud, images.known(id)), id);
                }
                yield listing ? things.list(asked.query()) : things.show(id);
            }
            case "POST" -> things.make(asked.body(), fresh(things), things == images ? 201 : 202);
            case "DELETE" -> {
                if (things == volumes && !things.known(id).path("attachments").isEmpty()) {
                    throw Said.No.bad("Invalid volume: Volume " + id + " status must be available, but is in-use");
                }
                yield things.delete(id, things == images ? 204 : 202);
            }
            default -> throw new Said.No(405, "Method Not Allowed");
        };
    }

    private ObjectNode fresh(Things things) {
        ObjectNode fresh = Said.object().put("name", "");
        if (things == images) {
            fresh.put("owner", Identity.PROJECT)
                    .put("status", "active")
                    .put("visibility", "private")
                    .putArray("tags");
        } else {
            fresh.put("status", "available").putObject("metadata");
            fresh.putArray("attachments");
        }
        return fresh;
    }

    private void forgetVolumesOfTheGone() throws IOException {
        for (ObjectNode volume : volumes.shelf().all()) {
            String server = volume.path("attachments").path(0).path("server_id").asText();
            if (volume.path("goesWithServer").asBoolean()
                    && cloud.find(server)
                            .map(each -> each.state() == Instance.State.TERMINATED)
                            .orElse(true)) {
                volumes.shelf().remove(volume.path("id").asText());
            }
        }
    }
}
