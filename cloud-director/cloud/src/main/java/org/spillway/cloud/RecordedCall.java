package org.spillway.cloud;

import java.util.Map;

/**
 * A call and its answer.
 *
 * @param url whole
 * @param sent headers of the call
 * @param body of the call; empty for none
 * @param status of the answer; 0 when there was none
 * @param heard headers of the answer
 * @param answer its body; empty for none
 * @param failure why there was no answer; empty when there was one
 */
public record RecordedCall(
        String method,
        String url,
        Map<String, String> sent,
        String body,
        int status,
        Map<String, String> heard,
        String answer,
        String failure) {
    public RecordedCall {
        sent = Map.copyOf(sent);
        heard = Map.copyOf(heard);
    }

    /** Without its parts: this text may reach a log. */
    @Override
    public String toString() {
        return "RecordedCall[" + method + ", " + status + "]";
    }
}
