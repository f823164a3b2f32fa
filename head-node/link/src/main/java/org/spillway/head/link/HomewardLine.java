package org.spillway.head.link;

import java.io.IOException;
import org.apache.sshd.client.session.ClientSession;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.transfer.SftpTransfer;
import org.spillway.stage.transfer.Transfer;

/**
 * The connection for what comes home from a site, and for short questions. Results have half of its channels at most,
 * so that questions never wait for them; a stock sshd allows ten. It is made when it is first needed, and anew after a break.
 */
final class HomewardLine implements AutoCloseable {
    private static final int RESULTS = 3;
    /** Each may need a command of the far side's shell as well. */
    private static final int QUESTIONS = 3;

    private final String site;
    private final String store;
    private final SiteStreams.Opening opening;
    private volatile @Nullable Line line;
    private volatile boolean closed;

    /** A call does something in the staging space. */
    interface Call<T> {
        T with(Transfer transfer) throws IOException;
    }

    private record Line(ClientSession session, SftpTransfer results, SftpTransfer questions) {}

    /** @param store the staging space, as the far side's login sees it */
    HomewardLine(String site, String store, SiteStreams.Opening opening) {
        this.site = site;
        this.store = store;
        this.opening = opening;
    }

    <T> T ask(Call<T> call) throws IOException {
        Line open = line();
        return judged(open, open.questions, call);
    }

    <T> T bring(Call<T> call) throws IOException {
        Line open = line();
        return judged(open, open.results, call);
    }

    private <T> T judged(Line open, SftpTransfer transfer, Call<T> call) throws IOException {
        try {
            return call.with(transfer);
        } catch (IOException e) {
            throw Breaks.judged(open.session, site, e);
        }
    }

    /** Has a channel made for questions, unless there is one. */
    void prepare() throws IOException {
        line().questions.open();
    }

    /** Has a connection made, unless there is one. */
    void open() throws IOException {
        line();
    }

    private synchronized Line line() throws IOException {
        Line present = line;
        if (present == null || !present.session.isOpen()) {
            ClientSession session = opening.open();
            present = new Line(
                    session, new SftpTransfer(session, store, RESULTS), new SftpTransfer(session, store, QUESTIONS));
            line = present;
        }
        if (closed) {
            present.session.close(true);
            throw new IOException("the director of " + site + " was given up");
        }
        return present;
    }

    /** Does not wait for one that is being made: that one finds itself closed. */
    @Override
    public void close() {
        closed = true;
        Line open = line;
        if (open != null) {
            open.session.close(true);
        }
    }
}
