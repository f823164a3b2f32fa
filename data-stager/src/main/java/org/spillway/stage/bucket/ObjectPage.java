package org.spillway.stage.bucket;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * A page of a listing (ListObjectsV2).
 *
 * @param next token of the page behind it; empty for the last
 */
public record ObjectPage(List<Item> objects, String next) {
    public ObjectPage {
        objects = List.copyOf(objects);
    }

    /** An object. */
    public record Item(String key, long bytes) {}

    /** @throws IllegalArgumentException if it is none */
    public static ObjectPage read(InputStream xml) {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        List<Item> objects = new ArrayList<>();
        String next = "";
        boolean listing = false;
        String key = "";
        long bytes = -1;
        try {
            XMLStreamReader reader = factory.createXMLStreamReader(xml);
            while (reader.hasNext()) {
                int event = reader.next();
                if (event == XMLStreamConstants.START_ELEMENT) {
                    switch (reader.getLocalName()) {
                        case "ListBucketResult" -> listing = true;
                        case "Key" -> key = reader.getElementText();
                        case "Size" ->
                            bytes = Long.parseLong(reader.getElementText().strip());
                        case "NextContinuationToken" -> next = reader.getElementText();
                        default -> {
                            // Dates, tags and classes are not asked for.
                        }
                    }
                } else if (event == XMLStreamConstants.END_ELEMENT
                        && reader.getLocalName().equals("Contents")) {
                    objects.add(new Item(key, bytes));
                    bytes = -1;
                }
            }
        } catch (XMLStreamException | NumberFormatException e) {
            throw new IllegalArgumentException("the bucket's listing is no listing", e);
        }
        if (!listing) {
            throw new IllegalArgumentException("the bucket's listing is no listing");
        }
        return new ObjectPage(objects, next);
    }
}
