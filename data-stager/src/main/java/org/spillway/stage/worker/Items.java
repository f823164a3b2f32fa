package org.spillway.stage.worker;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.spillway.stage.store.PackEnd;
import org.spillway.stage.worker.Frames.Frame;
import org.spillway.stage.worker.Frames.Kind;
import org.spillway.stage.worker.UserFiles.Distant;
import org.spillway.stage.worker.UserFiles.Failure;
import org.spillway.stage.worker.UserFiles.Found;
import org.spillway.stage.worker.UserFiles.Packed;
import org.spillway.stage.worker.UserFiles.Place;
import org.spillway.stage.worker.UserFiles.Reach;
import org.spillway.stage.worker.UserFiles.Rule;
import org.spillway.stage.worker.UserFiles.Shape;
import org.spillway.stage.worker.UserFiles.Slice;
import org.spillway.stage.worker.UserFiles.Stamp;
import org.spillway.stage.worker.UserFiles.Taken;
import org.spillway.stage.worker.UserFiles.Ticket;
import org.spillway.stage.worker.UserFiles.Unpacked;
import org.spillway.stage.worker.UserFiles.Wish;

/** Lists as ITEMS frames, each with as many items as fit. */
final class Items {
    /** A frame is sent when it is longer than this; no item is longer than what is left. */
    private static final int FULL_BYTES = Frames.BODY_BYTES_MAX - 2 * 0xffff - 64;

    /** Takes one frame. */
    interface Out {
        void frame(Kind kind, byte[] body, int length) throws IOException;
    }

    interface Writer<T> {
        void write(T item, DataOutputStream body) throws IOException;
    }

    interface Reader<T> {
        T read(DataInputStream body) throws IOException;
    }

    private Items() {}

    static <T> void send(Out out, List<T> items, Writer<T> writer) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (T item : items) {
            writer.write(item, new DataOutputStream(body));
            if (body.size() > FULL_BYTES) {
                out.frame(Kind.ITEMS, body.toByteArray(), body.size());
                body.reset();
            }
        }
        if (body.size() > 0) {
            out.frame(Kind.ITEMS, body.toByteArray(), body.size());
        }
    }

    /** Arrived entries of a list, as long as it stays within its bounds. */
    static final class Received<T> {
        private final Reader<T> reader;
        private final int most;
        private final long mostBytes;
        private final List<T> items = new ArrayList<>();
        private long bytes;

        Received(Reader<T> reader, int most, long mostBytes) {
            this.reader = reader;
            this.most = most;
            this.mostBytes = mostBytes;
        }

        /** @throws IllegalArgumentException if it is too much, or an item is not valid */
        void add(Frame frame) throws IOException {
            bytes += frame.body().length;
            DataInputStream body = frame.fields();
            while (body.available() > 0) {
                if (items.size() == most || bytes > mostBytes) {
                    throw new IllegalArgumentException(
                            "a list of more than " + most + " items or " + mostBytes + " bytes is too long");
                }
                items.add(reader.read(body));
            }
        }

        List<T> items() {
            return items;
        }
    }

    /** Where no list is expected. */
    static Received<Void> none() {
        return new Received<>(
                body -> {
                    throw new IllegalArgumentException("a list that nobody asked for");
                },
                0,
                0);
    }

    static Received<Found> found(int most) {
        return new Received<>(Items::readFound, most, 2L * 3 * Bundles.NAMES_MAX);
    }

    static Received<Slice> slices() {
        return new Received<>(
                body -> new Slice(readPacked(body), body.readLong(), body.readInt()),
                PackEnd.PIECES_MAX,
                2L * 3 * Bundles.NAMES_MAX);
    }

    static void write(Slice slice, DataOutputStream body) throws IOException {
        write(slice.file(), body);
        body.writeLong(slice.from());
        body.writeInt(slice.length());
    }

    static Received<Rule> rules() {
        return new Received<>(Items::readRule, Bundles.RULES_MAX, 2L * 0xffff * Bundles.RULES_MAX);
    }

    static Received<Wish> wishes() {
        return new Received<>(Items::readWish, Bundles.RULES_MAX, 2L * 0xffff * Bundles.RULES_MAX);
    }

    static Received<Place> places(int most) {
        return new Received<>(
                body -> new Place(body.readUTF(), body.readUTF(), body.readLong()),
                most,
                2L * 0xffff * Bundles.RULES_MAX);
    }

    static void write(Wish wish, DataOutputStream body) throws IOException {
        body.writeUTF(wish.destination().toString());
        body.writeByte(wish.shape().ordinal());
    }

    private static Wish readWish(DataInputStream body) throws IOException {
        return new Wish(Path.of(body.readUTF()), Shape.values()[body.readUnsignedByte() % Shape.values().length]);
    }

    static void write(Place place, DataOutputStream body) throws IOException {
        body.writeUTF(place.problem());
        body.writeUTF(place.fileSystem());
        body.writeLong(place.freeBytes());
    }

    static void write(Reach reach, DataOutputStream body) throws IOException {
        body.writeInt(reach.networks().size());
        for (String network : reach.networks()) {
            body.writeUTF(network);
        }
        byte[] trust = reach.trust().getBytes(StandardCharsets.US_ASCII);
        body.writeInt(trust.length);
        body.write(trust);
        body.writeBoolean(reach.sizes());
        body.writeInt(reach.files());
    }

    static Reach readReach(DataInputStream body) throws IOException {
        List<String> networks = new ArrayList<>();
        for (int left = body.readInt(); left > 0; left--) {
            networks.add(body.readUTF());
        }
        String trust = new String(body.readNBytes(body.readInt()), StandardCharsets.US_ASCII);
        return new Reach(networks, trust, body.readBoolean(), body.readInt());
    }

    static Received<Distant> distant(int most) {
        return new Received<>(
                body -> new Distant(body.readUTF(), body.readUTF(), body.readLong(), body.readUTF()),
                most,
                4L * 3 * Bundles.NAMES_MAX);
    }

    static void write(Distant file, DataOutputStream body) throws IOException {
        body.writeUTF(file.origin());
        body.writeUTF(file.name());
        body.writeLong(file.bytes());
        body.writeUTF(file.sha256());
    }

    static Received<Ticket> tickets(int most) {
        return new Received<>(
                body -> new Ticket(body.readUTF(), body.readUTF(), body.readUTF()), most, 4L * 3 * Bundles.NAMES_MAX);
    }

    static void write(Ticket ticket, DataOutputStream body) throws IOException {
        body.writeUTF(ticket.url());
        body.writeUTF(ticket.authorization());
        body.writeUTF(ticket.key());
    }

    static void write(Found file, DataOutputStream body) throws IOException {
        body.writeUTF(file.path());
        body.writeUTF(file.realPath().equals(file.path()) ? "" : file.realPath());
        write(file.bytes(), file.modifiedNanos(), file.executable(), body);
        body.writeUTF(file.stamp().file());
        body.writeLong(file.stamp().changedNanos());
        body.writeBoolean(file.stamp().fine());
    }

    private static Found readFound(DataInputStream body) throws IOException {
        String path = body.readUTF();
        String real = body.readUTF();
        return new Found(
                path,
                real.isEmpty() ? path : real,
                body.readLong(),
                body.readLong(),
                body.readBoolean(),
                new Stamp(body.readUTF(), body.readLong(), body.readBoolean()));
    }

    static void write(Packed file, DataOutputStream body) throws IOException {
        body.writeUTF(file.path());
        body.writeUTF(file.name());
        write(file.bytes(), file.modifiedNanos(), file.executable(), body);
    }

    private static Packed readPacked(DataInputStream body) throws IOException {
        return new Packed(body.readUTF(), body.readUTF(), body.readLong(), body.readLong(), body.readBoolean());
    }

    private static void write(long bytes, long modifiedNanos, boolean executable, DataOutputStream body)
            throws IOException {
        body.writeLong(bytes);
        body.writeLong(modifiedNanos);
        body.writeBoolean(executable);
    }

    static void write(Rule rule, DataOutputStream body) throws IOException {
        body.writeUTF(rule.pattern());
        body.writeUTF(rule.destination().toString());
        body.writeBoolean(rule.tree());
        body.writeBoolean(rule.growth().continues());
        body.writeUTF(rule.growth().adds());
    }

    private static Rule readRule(DataInputStream body) throws IOException {
        return new Rule(
                body.readUTF(),
                Path.of(body.readUTF()),
                body.readBoolean(),
                new UserFiles.Growth(body.readBoolean(), body.readUTF()));
    }

    static void write(Unpacked unpacked, DataOutputStream body) throws IOException {
        body.writeInt(unpacked.rules().size());
        for (Taken taken : unpacked.rules()) {
            body.writeInt(taken.files());
            body.writeLong(taken.bytes());
            body.writeInt(taken.covered());
        }
        body.writeLong(unpacked.skipped());
        body.writeInt(unpacked.reasons().size());
        for (String reason : unpacked.reasons()) {
            body.writeUTF(reason);
        }
        body.writeInt(unpacked.failures().size());
        for (Failure failure : unpacked.failures()) {
            body.writeInt(failure.rule());
            body.writeInt(failure.members());
            body.writeUTF(failure.said());
            body.writeBoolean(failure.refused());
        }
    }

    static Unpacked readUnpacked(DataInputStream body) throws IOException {
        List<Taken> rules = new ArrayList<>();
        for (int left = body.readInt(); left > 0; left--) {
            rules.add(new Taken(body.readInt(), body.readLong(), body.readInt()));
        }
        long skipped = body.readLong();
        List<String> reasons = new ArrayList<>();
        for (int left = body.readInt(); left > 0; left--) {
            reasons.add(body.readUTF());
        }
        List<Failure> failures = new ArrayList<>();
        for (int left = body.readInt(); left > 0; left--) {
            failures.add(new Failure(body.readInt(), body.readInt(), body.readUTF(), body.readBoolean()));
        }
        return new Unpacked(rules, skipped, reasons, failures);
    }
}
