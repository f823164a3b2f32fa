package org.spillway.head.rest;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.ManySubmissions;
import org.spillway.api.ManySubmissions.Mode;
import org.spillway.api.ManySubmissionsReader;
import org.spillway.api.ManySubmitted;
import org.spillway.api.ManySubmitted.SubmissionAnswer;
import org.spillway.api.SubmissionReader;
import org.spillway.head.rest.Routes.Call;

/** Submissions, one in a request or many. */
record SubmitRoutes(HeadApi head) {
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9._:-]{1,100}");

    Routes.Answer one(Call call) {
        return new Routes.Answer(
                201, head.submit(call.caller(), SubmissionReader.read(call.body()), idempotencyKey(call)));
    }

    /** A submission that cannot be read is refused like those that the head refuses, at its place. */
    Routes.Answer many(Call call) {
        var asked = ManySubmissionsReader.read(call.body());
        var read = new ArrayList<ManySubmissions.KeyedSubmission>();
        for (var item : asked.list()) {
            if (item.job() != null) {
                read.add(new ManySubmissions.KeyedSubmission(item.key(), item.job()));
            }
        }
        boolean complete = read.size() == asked.list().size();
        var mode = asked.mode() == Mode.ALL && !complete ? Mode.CHECK : asked.mode();
        var found =
                read.isEmpty() ? List.<SubmissionAnswer>of() : head.submit(call.caller(), mode, asked.ahead(), read);
        return Routes.Answer.ok(new ManySubmitted(inPlace(asked.list(), found.iterator())));
    }

    private static List<SubmissionAnswer> inPlace(
            List<ManySubmissionsReader.Item> items, Iterator<SubmissionAnswer> found) {
        var answers = new ArrayList<SubmissionAnswer>();
        for (var item : items) {
            answers.add(item.refused() == null ? found.next() : SubmissionAnswer.refused(item.refused()));
        }
        return answers;
    }

    /** The caller's, or one that nobody will use again. */
    static String idempotencyKey(Call call) {
        var given = call.headers().get("idempotency-key");
        var key = given == null ? UUID.randomUUID().toString() : given;
        if (!KEY.matcher(key).matches()) {
            throw new ApiException(
                    Code.BAD_REQUEST,
                    "Idempotency-Key: not usable",
                    "allowed: 1 to 100 letters, digits, dots, dashes, colons and underscores");
        }
        return key;
    }
}
