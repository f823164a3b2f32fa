package org.spillway.api.session;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Takes a stream apart into records. */
final class RecordReader implements Consumer<byte[]> {
    private final Consumer<SessionRecord> records;
    private byte[] unread = new byte[0];

    RecordReader(Consumer<SessionRecord> records) {
        this.records = records;
    }

    @Override
    public void accept(byte[] bytes) {
        byte[] all = new byte[unread.length + bytes.length];
        System.arraycopy(unread, 0, all, 0, unread.length);
        System.arraycopy(bytes, 0, all, unread.length, bytes.length);
        int at = 0;
        while (all.length - at >= SessionRecord.HEADER_BYTES) {
            var header = ByteBuffer.wrap(all, at, SessionRecord.HEADER_BYTES);
            char kind = (char) header.get();
            int channel = header.getShort() & 0xffff;
            int length = header.getShort() & 0xffff;
            if (all.length - at < SessionRecord.HEADER_BYTES + length) {
                break;
            }
            byte[] body = new byte[length];
            System.arraycopy(all, at + SessionRecord.HEADER_BYTES, body, 0, length);
            at += SessionRecord.HEADER_BYTES + length;
            records.accept(new SessionRecord(kind, channel, body));
        }
        unread = new byte[all.length - at];
        System.arraycopy(all, at, unread, 0, unread.length);
    }
}
