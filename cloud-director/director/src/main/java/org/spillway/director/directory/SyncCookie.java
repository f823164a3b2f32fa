package org.spillway.director.directory;

import com.unboundid.asn1.ASN1OctetString;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How far a consumer has read: the number of a change, which counts within one life of a store only. */
record SyncCookie(String epoch, long number) {
    private static final Pattern FORM = Pattern.compile("spillway1,([0-9a-f-]{36}),([0-9]{1,18})");

    static Optional<SyncCookie> parse(ASN1OctetString text) {
        Matcher matcher = FORM.matcher(text.stringValue());
        return matcher.matches()
                ? Optional.of(new SyncCookie(matcher.group(1), Long.parseLong(matcher.group(2))))
                : Optional.empty();
    }

    ASN1OctetString encoded() {
        return new ASN1OctetString("spillway1," + epoch + "," + number);
    }
}
