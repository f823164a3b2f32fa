package org.spillway.head.staging;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import org.jspecify.annotations.Nullable;

/** Lets one side write while the other reads, with a bounded buffer between them. */
final class Pump {
    private static final int BUFFER_BYTES = 256 * 1024;

    private Pump() {}

    /** Writes bytes. */
    @FunctionalInterface
    interface Source<T> {
        T writeTo(OutputStream sink) throws IOException;
    }

    /** Reads bytes. */
    @FunctionalInterface
    interface Sink {
        void readFrom(InputStream source) throws IOException;
    }

    /**
     * The source begins when the sink first reads: until then it may be waiting for its turn, and takes nobody else's.
     *
     * @return what the source answered, after both have ended well; else the source's failure, or the sink's
     */
    static <T> T run(Source<T> source, Sink sink) throws IOException {
        PipedInputStream in = new PipedInputStream(BUFFER_BYTES);
        PipedOutputStream out = new PipedOutputStream(in);
        Writing<T> writing = new Writing<>(source, out);
        Thread writer = Thread.ofVirtual().name("pump").unstarted(writing);
        try (Begun begun = new Begun(in, writer)) {
            sink.readFrom(begun);
            begun.begin();
        } catch (IOException sinkFailure) {
            in.close();
            join(writer);
            IOException first = writing.cause();
            throw first != null ? first : sinkFailure;
        }
        join(writer);
        return writing.result();
    }

    /** Starts the writer with the first read. */
    private static final class Begun extends FilterInputStream {
        private final Thread writer;

        Begun(InputStream in, Thread writer) {
            super(in);
            this.writer = writer;
        }

        void begin() {
            if (writer.getState() == Thread.State.NEW) {
                writer.start();
            }
        }

        @Override
        public int read() throws IOException {
            begin();
            return in.read();
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            begin();
            return in.read(into, offset, length);
        }
    }

    private static void join(Thread writer) throws IOException {
        try {
            writer.join();
        } catch (InterruptedException e) {
            writer.interrupt();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static final class Writing<T> implements Runnable {
        private final Source<T> source;
        private final OutputStream out;
        private volatile @Nullable T result;
        private volatile @Nullable IOException failure;
        private volatile boolean readerLeft;

        Writing(Source<T> source, OutputStream out) {
            this.source = source;
            this.out = out;
        }

        @Override
        public void run() {
            try {
                result = source.writeTo(new Watched());
            } catch (IOException e) {
                failure = e;
            } finally {
                try {
                    out.close();
                } catch (IOException gone) {
                    readerLeft = true;
                }
            }
        }

        /** The source's own failure; null when it only failed because the reader had left. */
        @Nullable
        IOException cause() {
            return readerLeft ? null : failure;
        }

        T result() throws IOException {
            IOException why = failure;
            T answer = result;
            if (why != null || answer == null) {
                throw why != null ? why : new IOException("the copy ended without a result");
            }
            return answer;
        }

        private final class Watched extends OutputStream {
            @Override
            public void write(int b) throws IOException {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                try {
                    out.write(bytes, offset, length);
                } catch (IOException gone) {
                    readerLeft = true;
                    throw gone;
                }
            }
        }
    }
}
