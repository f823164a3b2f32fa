package org.spillway.head.rest;

/** @param link the web page's address with the token that lets in: a secret */
public record WebView(String link) {
    @Override
    public String toString() {
        return "WebView[link withheld]";
    }
}
