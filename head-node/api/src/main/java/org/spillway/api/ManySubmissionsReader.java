package org.spillway.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.api.ApiException.Code;

/** Reads a request of many submissions; a mistake in one of them does not keep the others from being read. */
public final class ManySubmissionsReader {
    private ManySubmissionsReader() {}

    /** A submission, or why it is none. @param key empty where that was the mistake */
    public record Item(
            String key,
            @Nullable JobSubmission job,
            @Nullable ApiException refused) {}

    /** A request, item by item. */
    public record Items(ManySubmissions.Mode mode, ManySubmissions.Ahead ahead, List<Item> list) {
        public Items {
            list = List.copyOf(list);
        }
    }

    /**
     * Reads a request.
     *
     * @throws ApiException BAD_REQUEST or TOO_LARGE for a mistake of the request as a whole, such as a key that stands
     *     twice
     */
    public static Items read(byte[] bytes) {
        JsonNode list;
        ManySubmissions frame;
        try {
            if (!(Json.tree(bytes) instanceof ObjectNode body)) {
                throw new ApiException(Code.BAD_REQUEST, "the body is not a JSON object", "send one JSON object");
            }
            list = body.path("submissions");
            if (!list.isArray() || list.isEmpty() || list.size() > ManySubmissions.MOST) {
                throw RequestReader.refuse(
                        "submissions", "found " + list.size(), "a list of 1 to " + ManySubmissions.MOST);
            }
            body.putArray("submissions");
            frame = RequestReader.part(body, ManySubmissions.class);
        } catch (IOException malformed) {
            throw new ApiException(Code.BAD_REQUEST, "the body is not JSON", "send one JSON object");
        }
        List<Item> items = new ArrayList<>();
        Set<String> keys = new HashSet<>();
        int jobs = 0;
        for (JsonNode one : list) {
            Item item = item(one);
            if (!item.key().isEmpty() && !keys.add(item.key())) {
                throw RequestReader.refuse("submissions.key", "found '" + item.key() + "' twice", "each once");
            }
            jobs += item.job() == null ? 1 : item.job().array().size();
            items.add(item);
        }
        if (jobs > ManySubmissions.MOST) {
            throw new ApiException(
                    Code.TOO_LARGE,
                    "submissions: " + jobs + " jobs, tasks of arrays counted",
                    "at most " + ManySubmissions.MOST + " in one request");
        }
        return new Items(ManySubmissions.Mode.valueOf(frame.mode().toUpperCase(Locale.ROOT)), frame.ahead(), items);
    }

    private static Item item(JsonNode one) {
        try {
            ManySubmissions.KeyedSubmission read = RequestReader.part(one, ManySubmissions.KeyedSubmission.class);
            JobSubmission job = read.job();
            if (!job.array().isNone()) {
                SubmissionReader.boundArray(job, one.path("job").toString().length());
            }
            return new Item(read.key(), job, null);
        } catch (ApiException refused) {
            return new Item("", null, refused);
        }
    }
}
