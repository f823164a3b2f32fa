package org.spillway.stage.worker;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.Checksum;
import org.spillway.stage.reach.Question;
import org.spillway.stage.reach.Reply;
import org.spillway.stage.store.Digest;
import org.spillway.stage.worker.Frames.Frame;
import org.spillway.stage.worker.Frames.Kind;
import org.spillway.stage.worker.UserFiles.Distant;
import org.spillway.stage.worker.UserFiles.Limits;
import org.spillway.stage.worker.UserFiles.Place;
import org.spillway.stage.worker.UserFiles.Rule;
import org.spillway.stage.worker.UserFiles.Slice;
import org.spillway.stage.worker.UserFiles.Unpacked;
import org.spillway.stage.worker.UserFiles.Wish;

/**
 * The worker process: one request after the other on standard input and output, until its input ends, which it does
 * when the caller dies, too. It logs nothing; what it has to say is an answer.
 */
public final class WorkerMain {
    private final DataInputStream in;
    private final DataOutputStream out;
    private final WorkerFiles files;
    private final int uid;

    private WorkerMain(DataInputStream in, DataOutputStream out, int uid) {
        this.in = in;
        this.out = out;
        this.files = new WorkerFiles(uid);
        this.uid = uid;
    }

    private static Path home() {
        return Path.of(System.getProperty("user.home", "/"));
    }

    public static void main(String[] arguments) throws IOException {
        int uid = Identity.ownUid();
        DataOutputStream out =
                new DataOutputStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 64 * 1024));
        System.setOut(System.err); // nothing but frames on standard output
        Frames.write(out, Kind.HELLO, body -> {
            body.writeInt(Frames.MAGIC);
            body.writeInt(Frames.VERSION);
            body.writeInt(uid);
        });
        new WorkerMain(new DataInputStream(new FileInputStream(FileDescriptor.in)), out, uid).serve();
    }

    private void serve() throws IOException {
        while (true) {
            Frame request;
            try {
                request = Frames.read(in);
            } catch (EOFException e) {
                return;
            }
            Path about = Path.of("/");
            try {
                DataInputStream fields = request.fields();
                about = Path.of(fields.readUTF());
                serve(request.kind(), about, fields);
            } catch (FileRefused | IllegalArgumentException e) {
                answer(Kind.REFUSED, String.valueOf(e.getMessage()));
            } catch (CallerGone e) {
                return;
            } catch (FileSystemException e) {
                answer(WorkerFiles.isMachines(e) ? Kind.FAILED : Kind.REFUSED, WorkerFiles.describe(e));
            } catch (IOException e) {
                answer(Kind.FAILED, WorkerFiles.say(about) + ": " + e.getMessage());
            }
        }
    }

    private void serve(Kind kind, Path file, DataInputStream fields) throws IOException {
        switch (kind) {
            case PART_BYTES -> {
                long bytes = files.partBytes(file, fields.readUTF());
                Frames.write(out, Kind.OK, body -> body.writeLong(bytes));
            }
            case WRITE_PART -> writePart(file, fields.readUTF(), fields.readLong());
            case SETTLE -> {
                String tag = fields.readUTF();
                Checksum checksum = new Checksum(fields.readLong(), fields.readUTF());
                judged(file, checksum, files.settle(file, tag, checksum, new ToCaller()));
            }
            case READ_PART -> {
                files.readPart(file, fields.readUTF(), fields.readLong(), new ToCaller());
                Frames.write(out, Kind.OK);
            }
            case GATHER -> {
                String tag = fields.readUTF();
                String into = fields.readUTF();
                List<Path> bundles = new ArrayList<>(List.of(file));
                for (int more = fields.readInt(); more > 0; more--) {
                    bundles.add(Path.of(fields.readUTF()));
                }
                Checksum checksum = files.gather(bundles, tag, into, new ToCaller());
                Frames.write(out, Kind.OK, body -> {
                    body.writeLong(checksum.bytes());
                    body.writeUTF(checksum.sha256());
                });
            }
            case GROW -> {
                String adds = fields.readUTF();
                long from = fields.readLong();
                boolean first = fields.readBoolean();
                byte[] bytes = fields.readAllBytes();
                long end = adds.isEmpty()
                        ? GrowingFile.grow(file, from, bytes, first)
                        : GrowingFile.add(file, adds, from, bytes);
                Frames.write(out, Kind.OK, body -> body.writeLong(end));
            }
            case REACH -> {
                var bounds = new UserFiles.Bounds(paths(fields), paths(fields));
                Reply reply = new ReachFiles(bounds).answer(Question.from(fields));
                for (int at = 0; at < reply.body().length; at += Frames.DATA_BYTES) {
                    byte[] part =
                            Arrays.copyOfRange(reply.body(), at, Math.min(reply.body().length, at + Frames.DATA_BYTES));
                    send(Kind.DATA, part, part.length);
                }
                Frames.write(out, Kind.OK, body -> body.writeByte(reply.status().ordinal()));
            }
            case ABANDON -> {
                files.abandon(file, fields.readUTF());
                Frames.write(out, Kind.OK);
            }
            case FIND -> {
                String pattern = fields.readUTF();
                Limits limits = new Limits(fields.readInt(), fields.readLong());
                Items.send(this::send, new Finder(pattern, limits, new ToCaller()).find(), Items::write);
                Frames.write(out, Kind.OK);
            }
            case PIECES -> {
                List<Slice> list = receive(Items.slices());
                List<Digest> digests = new PiecePacker(fields.readLong(), new ToCaller()).pack(list);
                ByteBuffer body = ByteBuffer.allocate(digests.size() * Digest.BYTES);
                digests.forEach(digest -> digest.to(body));
                Frames.write(out, Kind.OK, body.array(), body.position());
            }
            case UNPACK -> unpack(file, fields);
            case LOOK -> {
                List<Place> places = new ArrayList<>();
                for (Wish wish : receive(Items.wishes())) {
                    places.add(Places.look(wish));
                    send(Kind.WORKING, new byte[0], 0); // a file system that hangs is not many
                }
                Items.send(this::send, places, Items::write);
                Frames.write(out, Kind.OK);
            }
            case DISTANT -> {
                String pattern = fields.readUTF();
                var elsewhere = new DistantFiles(home(), uid, new ToCaller());
                Items.send(this::send, elsewhere.find(pattern, Items.readReach(fields)), Items::write);
                Frames.write(out, Kind.OK);
            }
            case TICKETS -> {
                List<Distant> list = receive(Items.distant(Bundles.FILES_MAX));
                Items.send(this::send, new DistantFiles(home(), uid, new ToCaller()).tickets(list), Items::write);
                Frames.write(out, Kind.OK);
            }
            case IMAGE -> {
                String name = fields.readUTF();
                boolean whole = fields.readBoolean();
                String trust = new String(fields.readAllBytes(), StandardCharsets.US_ASCII);
                String found = new Images(home(), uid, new ToCaller()).found(name, whole, trust);
                Frames.write(out, Kind.OK, body -> body.writeUTF(found));
            }
            case HELLO, DATA, END, WORKING, OK, REFUSED, MISMATCH, FAILED, ITEMS ->
                throw new IOException("a request cannot be of kind " + kind);
        }
    }

    private static List<Path> paths(DataInputStream fields) throws IOException {
        List<Path> paths = new ArrayList<>();
        for (int more = fields.readInt(); more > 0; more--) {
            paths.add(Path.of(fields.readUTF()));
        }
        return paths;
    }

    /** Takes all DATA up to END even after a failure, so that the next request is where it is looked for. */
    private void writePart(Path file, String tag, long offset) throws IOException {
        IOException failure = null;
        FileChannel part = null;
        try {
            part = files.openPart(file, tag, offset);
        } catch (IOException e) {
            failure = e;
            Frames.write(out, Kind.WORKING); // so that the caller need not send all
        }
        for (Frame frame = Frames.read(in); frame.kind() != Kind.END; frame = Frames.read(in)) {
            if (frame.kind() != Kind.DATA) {
                throw new CallerGone();
            }
            if (failure == null) {
                failure = write(part, frame.body());
                if (failure != null) {
                    Frames.write(out, Kind.WORKING);
                }
            }
        }
        if (part != null) {
            part.close();
        }
        if (failure != null) {
            throw failure;
        }
        Frames.write(out, Kind.OK);
    }

    private static @Nullable IOException write(@Nullable FileChannel part, byte[] bytes) {
        try {
            ByteBuffer piece = ByteBuffer.wrap(bytes);
            while (part != null && piece.hasRemaining()) {
                part.write(piece);
            }
            return null;
        } catch (IOException e) {
            return e;
        }
    }

    private void unpack(Path bundle, DataInputStream fields) throws IOException {
        List<Rule> rules = receive(Items.rules());
        String tag = fields.readUTF();
        Checksum checksum = new Checksum(fields.readLong(), fields.readUTF());
        int round = fields.readInt();
        ToCaller alive = new ToCaller();
        Path part = WorkerFiles.part(bundle, tag);
        Checksum found = files.verify(part, checksum, alive);
        if (found != null) {
            judged(bundle, checksum, found);
            return;
        }
        var unpacker = new Unpacker(part, tag, rules, new Marks(WorkerFiles.marks(part), checksum, rules), alive);
        Unpacked unpacked = unpacker.unpack();
        if (round > 0) {
            String list = UserFiles.roundsTag(tag);
            try (FileChannel end = files.openPart(bundle, list, files.partBytes(bundle, list))) {
                RoundList.add(
                        end, round, unpacker.plan().placed(), unpacker.plan().unplaced());
            }
        }
        Frames.write(out, Kind.OK, body -> Items.write(unpacked, body));
    }

    /** Takes all ITEMS up to END even if they are refused, so that the next request is where it is looked for. */
    private <T> List<T> receive(Items.Received<T> list) throws IOException {
        IllegalArgumentException failure = null;
        for (Frame frame = Frames.read(in); frame.kind() != Kind.END; frame = Frames.read(in)) {
            if (frame.kind() != Kind.ITEMS) {
                throw new CallerGone();
            }
            try {
                if (failure == null) {
                    list.add(frame);
                }
            } catch (IllegalArgumentException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
        return list.items();
    }

    private void send(Kind kind, byte[] body, int length) throws IOException {
        try {
            Frames.write(out, kind, body, length);
        } catch (IOException e) {
            throw new CallerGone();
        }
    }

    private void judged(Path file, Checksum checksum, @Nullable Checksum found) throws IOException {
        if (found == null) {
            Frames.write(out, Kind.OK);
        } else {
            answer(
                    Kind.MISMATCH,
                    WorkerFiles.say(file) + ": should get " + checksum.bytes() + " bytes with SHA-256 "
                            + checksum.sha256() + " but " + found.bytes() + " bytes with " + found.sha256()
                            + " were written; they are removed");
        }
    }

    private void answer(Kind kind, String message) throws IOException {
        Frames.write(out, kind, body -> body.writeUTF(message.length() > 5000 ? message.substring(0, 5000) : message));
    }

    /** Sends what is read; a caller who is gone is no failure of the file. */
    private final class ToCaller implements WorkerFiles.Sink {
        @Override
        public void data(byte[] bytes, int length) throws IOException {
            send(Kind.DATA, bytes, length);
        }

        @Override
        public void working() throws IOException {
            send(Kind.WORKING, new byte[0], 0);
        }
    }

    private static final class CallerGone extends IOException {
        private static final long serialVersionUID = 1;
    }
}
