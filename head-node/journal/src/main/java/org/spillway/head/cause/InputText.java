package org.spillway.head.cause;

/** Sentences on inputs from other ends. */
final class InputText {
    private InputText() {}

    static String of(JobCause.NotPulled pulled) {
        String detail = pulled.detail().isEmpty() ? "" : " (" + pulled.detail() + ")";
        String why = switch (pulled.fault()) {
            case REFUSED -> "the server refuses it" + detail + ": its keys or password are missing, or will not do";
            case ABSENT -> "there is no such file" + detail;
            case STATUS -> "the server's answer means nothing here" + detail;
            case ADDRESS -> "inputs may not come from that address" + detail;
            case REDIRECTS -> "the server sends on and on" + detail;
            case DOWNGRADED -> "the server sends on to something else than https" + detail;
            case NO_LENGTH -> "the server does not say where the file ends: a SHA-256 in a list would";
            case TOO_MUCH -> "it is more than its user's inputs may have there" + detail;
            case DIGEST -> "it has another SHA-256 than was written down";
            case UNTRUSTED -> "the server's certificate is not trusted" + detail;
            case MALFORMED -> "the server speaks no HTTP/1.1" + detail;
            case CHANGING -> "it was another file at each look";
            case UNREACHABLE -> "the server cannot be reached" + detail;
            case BROKEN -> "it was cut again and again" + detail;
            case BUSY -> "the server wants to be left alone for now" + detail;
            case SERVER -> "the server failed" + detail;
            case NO_ROOM -> "the disk of the region has no room for it";
            case DISK -> "the disk of the region failed" + detail;
        };
        return pulled.from() + ": " + why;
    }
}
