package org.spillway.api;

import org.spillway.api.ApiException.Code;

/** Reads the body of a submission, with every bound checked: a job that is accepted can be journalled and run. */
public final class SubmissionReader {
    /** Each task is a journal entry of its own, with the script in it. */
    private static final long MOST_ARRAY_BYTES = 64L * 1024 * 1024;

    private SubmissionReader() {}

    /** @throws ApiException BAD_REQUEST or TOO_LARGE, naming the field */
    public static JobSubmission read(byte[] bytes) {
        var submission = RequestReader.read(bytes, JobSubmission.class);
        boundArray(submission, bytes.length);
        return submission;
    }

    /** @param bytes that the submission takes on the wire */
    static void boundArray(JobSubmission submission, int bytes) {
        int tasks = submission.array().size();
        if ((long) tasks * bytes > MOST_ARRAY_BYTES) {
            throw new ApiException(
                    Code.TOO_LARGE,
                    "array: " + tasks + " tasks of " + bytes + " bytes each are more than the journal should hold",
                    "put what is large into an input file (--in), or submit fewer tasks");
        }
    }
}
