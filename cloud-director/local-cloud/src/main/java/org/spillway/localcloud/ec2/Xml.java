package org.spillway.localcloud.ec2;

import java.util.Collection;
import java.util.Map;

/** An answer in the making. */
final class Xml {
    private final StringBuilder text = new StringBuilder(4096);

    /** Writes one item of a list. */
    interface Item<T> {
        void write(T each);
    }

    Xml open(String name) {
        text.append('<').append(name).append('>');
        return this;
    }

    Xml close(String name) {
        text.append("</").append(name).append('>');
        return this;
    }

    /** Nothing for an empty value, as EC2 leaves it out. */
    Xml leaf(String name, String value) {
        if (!value.isEmpty()) {
            text.append('<').append(name).append('>');
            escape(value);
            text.append("</").append(name).append('>');
        }
        return this;
    }

    Xml leaf(String name, long value) {
        return leaf(name, String.valueOf(value));
    }

    Xml leaf(String name, boolean value) {
        return leaf(name, String.valueOf(value));
    }

    void text(String value) {
        escape(value);
    }

    <T> Xml items(String name, Collection<T> all, Item<T> item) {
        open(name);
        for (T each : all) {
            text.append("<item>");
            item.write(each);
            text.append("</item>");
        }
        return close(name);
    }

    Xml tags(Map<String, String> tags) {
        return items("tagSet", tags.entrySet(), tag -> {
            leaf("key", tag.getKey());
            text.append("<value>");
            escape(tag.getValue());
            text.append("</value>");
        });
    }

    private void escape(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '<' -> text.append("&lt;");
                case '>' -> text.append("&gt;");
                case '&' -> text.append("&amp;");
                // XML has no way to say the other control characters.
                default -> text.append(c < ' ' && c != '\n' && c != '\t' ? '?' : c);
            }
        }
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
