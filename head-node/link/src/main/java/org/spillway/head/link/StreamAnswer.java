package org.spillway.head.link;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * The beginning of an answer that ends with its connection, read so that no byte of what follows is taken.
 *
 * @param status of HTTP
 * @param text of an answer other than 200, as far as 4 KiB of it; a stranger's
 */
public record StreamAnswer(int status, String text) {
    private static final int MOST_HEAD_BYTES = 8 * 1024;
    private static final int MOST_TEXT_BYTES = 4096;
    private static final int MOST_REASON = 500;
    private static final int OK = 200;
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 ([1-5]\\d\\d)[ \r]");
    private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: *(\\d{1,6})\r\n");

    /** @throws IOException if there is none */
    public static StreamAnswer read(InputStream in) throws IOException {
        String head = head(in);
        var status = STATUS.matcher(head);
        if (!status.lookingAt()) {
            throw new IOException("the answer is none of HTTP");
        }
        int code = Integer.parseInt(status.group(1));
        if (code == OK) {
            return new StreamAnswer(code, "");
        }
        // The connection stays open until either side closes it.
        var length = LENGTH.matcher(head);
        int bytes = length.find() ? Integer.parseInt(length.group(1)) : 0;
        return new StreamAnswer(
                code, new String(in.readNBytes(Math.min(bytes, MOST_TEXT_BYTES)), StandardCharsets.UTF_8));
    }

    /** The text as it may be shown in a line. */
    String line() {
        String plain = text.replaceAll("[^\\x20-\\x7e]", " ").strip();
        return plain.substring(0, Math.min(plain.length(), MOST_REASON));
    }

    /** Up to the empty line, byte by byte: what follows is the node's. */
    private static String head(InputStream in) throws IOException {
        var head = new StringBuilder();
        while (head.length() < MOST_HEAD_BYTES) {
            int next = in.read();
            if (next < 0) {
                break;
            }
            head.append((char) next);
            if (head.length() >= 4 && head.substring(head.length() - 4).equals("\r\n\r\n")) {
                return head.toString();
            }
        }
        throw new IOException("the answer ends early");
    }
}
