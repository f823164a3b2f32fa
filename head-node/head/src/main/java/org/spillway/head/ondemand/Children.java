package org.spillway.head.ondemand;

import java.io.IOException;
import org.spillway.head.bootstrap.RemoteStream;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.ClusterRecord;

/**
 * The heads of clusters on demand, over SSH. Calls block, each is bounded in time, and each may be repeated. What a
 * child says is a stranger's text.
 */
public interface Children {
    /** First-boot data of a child's head, with placeholders for secrets. */
    String userData(ClusterRecord child);

    /** Brings software, configuration, image and secrets to the machine, as far as they are not there. */
    void install(ClusterRecord child) throws IOException;

    /** Opens the way to the broker, starts the head unless it runs, and returns when it answers. */
    void start(ClusterRecord child) throws IOException;

    /** How many of its nodes take jobs. */
    int readyNodes(ClusterRecord child) throws IOException;

    /**
     * Sees that the way to the broker is open, that the head's process runs, and that it knows how many nodes and how much
     * money it may have.
     *
     * @return what it still has to do to keep to that; none for nothing
     */
    Cause keep(ClusterRecord child) throws IOException;

    /** Tells the head that there may be room again: refusals for that hold no longer. */
    void wake(ClusterRecord child) throws IOException;

    /**
     * Has the head end its nodes and then itself, in order: jobs that run are queued again.
     *
     * @return what is still to come; none when its process has ended
     */
    Cause quiesce(ClusterRecord child) throws IOException;

    /**
     * Asks the child's REST as one of its users, whom the child's own kernel names.
     *
     * @param user null for the account that the child's head runs as
     */
    Answer ask(ClusterRecord child, ClusterRecord.@org.jspecify.annotations.Nullable User user, Question question)
            throws IOException;

    /**
     * A stream each way to the child's REST as one of its users. The caller speaks HTTP, and closes it.
     *
     * @throws IOException if its head's machine does not answer
     */
    default RemoteStream line(ClusterRecord child, ClusterRecord.User user) throws IOException {
        throw new IOException("there are no streams to the head of " + child.id());
    }

    /**
     * Writes a file or a folder of the machine as a tar, with its last name as the only one at the top, as that user sees
     * it.
     *
     * @param path absolute, in one line
     * @throws IOException if not all of it was written
     */
    void pack(ClusterRecord child, ClusterRecord.User user, String path, java.io.OutputStream sink) throws IOException;

    /**
     * Runs one command on the head's machine as one of the cluster's users, without standard input.
     *
     * @param command words without line ends
     * @throws IOException if its head's machine does not answer, or the command says too much
     */
    Ran run(ClusterRecord child, ClusterRecord.User user, java.util.List<String> command) throws IOException;

    /** @param exit 124 when it was ended for taking too long */
    record Ran(int exit, String output, String errors) {}

    /**
     * Says to the cluster's machine who speaks.
     *
     * @param number that grows with each; 0 to ask only, beside another head that may be there
     * @return the highest that was said there; 0 for none
     */
    long commanded(ClusterRecord child, long number) throws IOException;

    /** The end of the head's log; empty when it cannot be read. */
    String log(ClusterRecord child);

    /** Closes the connections to it. */
    void close(String id);

    /** Lets go of all secrets that were made for it. */
    void forget(String id) throws IOException;

    /**
     * @param method GET or POST
     * @param path below the API's base, with its query
     * @param key for idempotency; empty for none
     */
    record Question(String method, String path, String key, byte[] body) {
        public Question {
            if (!method.matches("GET|POST") || !path.matches("/[A-Za-z0-9/_.,=&?%:-]{0,500}") || !isKey(key)) {
                throw new IllegalArgumentException("not a question for a child: " + method + " " + path);
            }
        }

        private static boolean isKey(String key) {
            return key.matches("[A-Za-z0-9._:-]{0,100}");
        }
    }

    /** @param status of HTTP */
    record Answer(int status, byte[] body) {}
}
