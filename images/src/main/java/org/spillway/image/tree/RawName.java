package org.spillway.image.tree;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.spillway.image.ImageRefused;

/** Names of files as the kernel has them, any bytes but 0: a text with one character (ISO 8859-1) for each byte. */
public final class RawName {
    private RawName() {}

    /** Printable ASCII without space; a backslash and all other bytes are {@code \xHH}. */
    public static String escaped(String raw) {
        int plain = 0;
        while (plain < raw.length() && isPlain(raw.charAt(plain))) {
            plain++;
        }
        if (plain == raw.length()) {
            return raw;
        }
        var text = new StringBuilder(raw.substring(0, plain));
        for (int i = plain; i < raw.length(); i++) {
            char one = raw.charAt(i);
            if (isPlain(one)) {
                text.append(one);
            } else {
                text.append("\\x").append(HexFormat.of().toHexDigits((byte) one));
            }
        }
        return text.toString();
    }

    private static boolean isPlain(char one) {
        return one > ' ' && one < 0x7f && one != '\\';
    }

    static String unescaped(String text) throws ImageRefused {
        if (text.indexOf('\\') < 0) {
            return text;
        }
        var raw = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) != '\\') {
                raw.append(text.charAt(i));
            } else if (i + 3 < text.length()
                    && text.charAt(i + 1) == 'x'
                    && HexFormat.isHexDigit(text.charAt(i + 2))
                    && HexFormat.isHexDigit(text.charAt(i + 3))) {
                raw.append((char) HexFormat.fromHexDigits(text, i + 2, i + 4));
                i += 3;
            } else {
                throw new ImageRefused("a name in a manifest is not escaped: " + text);
            }
        }
        return raw.toString();
    }

    /** As a person reads it: UTF-8 where it is that, else escaped. */
    public static String shown(String raw) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(raw.getBytes(StandardCharsets.ISO_8859_1)))
                    .toString();
            return text.codePoints().anyMatch(one -> Character.isISOControl(one) || one == '\\') ? escaped(raw) : text;
        } catch (CharacterCodingException bytes) {
            return escaped(raw);
        }
    }
}
