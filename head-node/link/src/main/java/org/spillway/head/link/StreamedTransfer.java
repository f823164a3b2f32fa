package org.spillway.head.link;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.spillway.stage.Checksum;
import org.spillway.stage.transfer.Transfer;

/**
 * A site's staging space as one job has it. What goes there shares many connections with other jobs; what comes home has
 * one that nothing on its way there can hold up, and so have questions. Closing it closes none of them.
 */
final class StreamedTransfer implements Transfer {
    private final SiteStreams streams;
    private final HomewardLine home;

    StreamedTransfer(SiteStreams streams, HomewardLine home) {
        this.streams = streams;
        this.home = home;
    }

    @Override
    public long received(String key) throws IOException {
        return home.ask(transfer -> transfer.received(key));
    }

    @Override
    public void send(String key, long offset, InputStream bytes) throws IOException {
        try (SiteStreams.Place place = streams.enter(this)) {
            try {
                place.transfer().send(key, offset, place.counted(bytes));
            } catch (IOException e) {
                throw place.judge(e);
            }
        }
    }

    @Override
    public void seal(String key, Checksum checksum) throws IOException {
        home.ask(transfer -> {
            transfer.seal(key, checksum);
            return true;
        });
    }

    @Override
    public boolean isSealed(String key) throws IOException {
        return home.ask(transfer -> transfer.isSealed(key));
    }

    @Override
    public void receive(String key, long offset, OutputStream sink) throws IOException {
        home.bring(transfer -> {
            transfer.receive(key, offset, sink);
            return true;
        });
    }

    @Override
    public boolean share(String key, String other) throws IOException {
        return home.ask(transfer -> transfer.share(key, other));
    }

    @Override
    public void remove(String key) throws IOException {
        home.ask(transfer -> {
            transfer.remove(key);
            return true;
        });
    }

    @Override
    public void close() {
        // The connections are the site's.
    }
}
