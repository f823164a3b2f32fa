package org.spillway.stage.tree;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The end from which an input comes, as a submission names it. Pure. */
public sealed interface Origin {
    /** All that a submission may name. */
    String KNOWN = "an absolute path, https://HOST/PATH, s3://BUCKET/KEY or urls:/PATH/OF/LIST";

    /** Longest text of one, in characters. */
    int TEXT_MAX = 4096;

    /** Files at home. @param pattern an absolute {@link Glob} */
    record Home(String pattern) implements Origin {}

    /**
     * A file behind a web server.
     *
     * @param uri without a login
     * @param login of the user's {@code ~/.netrc} whose password is sent; empty for none
     */
    record Web(URI uri, String login) implements Origin {}

    /**
     * An object, or all below a prefix.
     *
     * @param profile of the user's {@code ~/.aws/credentials}; empty for the usual one, if there is any
     * @param key of the object; empty or with a slash at its end for all whose keys begin so
     */
    record Bucket(String profile, String bucket, String key) implements Origin {
        public boolean isPrefix() {
            return key.isEmpty() || key.endsWith("/");
        }
    }

    /** A file at home that names one of the others in each line. @param path absolute */
    record UrlList(String path) implements Origin {}

    Pattern BUCKET = Pattern.compile("s3://(?:([A-Za-z0-9][A-Za-z0-9_.-]{0,63})@)?"
            + "([A-Za-z0-9](?:[A-Za-z0-9._-]{0,253}[A-Za-z0-9])?)(?:/([\\s\\S]*))?");

    Pattern LOGIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    /** Fields of a query by which alone a file can be had: whoever reads them has the file. */
    Set<String> SECRETS = Set.of(
            "x-amz-signature",
            "x-amz-security-token",
            "x-goog-signature",
            "signature",
            "sig",
            "temp_url_sig",
            "token",
            "access_token",
            "api_key",
            "key");

    /** Whether the text names something that is not a path at home. */
    static boolean isElsewhere(String text) {
        return !text.startsWith("/");
    }

    /**
     * Of an input of a submission, which anybody may read who may see the job.
     *
     * @throws IllegalArgumentException with what is wrong, if it is none or holds a secret
     */
    static Origin of(String text) {
        Origin found = listed(text);
        if (found instanceof Web web) {
            for (String field : fields(web.uri)) {
                if (isSecret(field)) {
                    throw new IllegalArgumentException("'" + field.split("=", 2)[0]
                            + "' in it is a secret, and a job is kept for long: put the URL into a list of mode 600"
                            + " (urls:/PATH/OF/LIST)");
                }
            }
            if (!web.uri.getScheme().equals("https")) {
                throw new IllegalArgumentException(
                        "nobody knows whose bytes come by http: use https, or a list (urls:) with a SHA-256 for it");
            }
        }
        return found;
    }

    /**
     * Of a line of a user's own list.
     *
     * @throws IllegalArgumentException with what is wrong, without the text
     */
    static Origin listed(String text) {
        if (text.length() > TEXT_MAX || text.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("it is longer than " + TEXT_MAX + " characters, or has controls in it");
        }
        if (text.startsWith("/")) {
            return new Home(text);
        }
        if (text.startsWith("urls:")) {
            String path = text.substring("urls:".length());
            if (!path.startsWith("/") || path.endsWith("/")) {
                throw new IllegalArgumentException("urls: is followed by the absolute path of a list");
            }
            return new UrlList(path);
        }
        if (text.startsWith("s3://")) {
            return bucket(text);
        }
        if (text.startsWith("https://") || text.startsWith("http://")) {
            return web(text);
        }
        throw new IllegalArgumentException("it is none of what an input may be: " + KNOWN);
    }

    private static Origin bucket(String text) {
        Matcher parts = BUCKET.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("an object is written s3://[PROFILE@]BUCKET/KEY");
        }
        String profile = parts.group(1) == null ? "" : parts.group(1);
        return new Bucket(profile, parts.group(2), parts.group(3) == null ? "" : parts.group(3));
    }

    private static Origin web(String text) {
        try {
            URI uri = new URI(text);
            String login = uri.getRawUserInfo() == null ? "" : uri.getRawUserInfo();
            if (login.contains(":")) {
                throw new IllegalArgumentException(
                        "a password does not belong into a URL: name the login, https://LOGIN@HOST/PATH, and write"
                                + " the password into ~/.netrc");
            }
            String host = uri.getHost();
            if (host == null
                    || uri.getPort() > 65_535
                    || (!login.isEmpty() && !LOGIN.matcher(login).matches())) {
                throw new IllegalArgumentException("a file is written https://[LOGIN@]HOST[:PORT]/PATH");
            }
            if (!login.isEmpty() && !uri.getScheme().equals("https")) {
                throw new IllegalArgumentException("no password is sent by http, where anybody may read it");
            }
            int port = uri.getPort();
            String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
            String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
            String clean = uri.getScheme() + "://" + host.toLowerCase(Locale.ROOT) + (port < 0 ? "" : ":" + port) + path
                    + query;
            return new Web(new URI(clean), login);
        } catch (URISyntaxException malformed) {
            throw new IllegalArgumentException(
                    "it is no URL: what is special in it is written with %, such as %20 for a blank", malformed);
        }
    }

    /** The last part of its name: a file's own name; empty where it has none. */
    default String lastName() {
        String path = switch (this) {
            case Home(String pattern) -> pattern;
            case Web web -> web.uri.getPath();
            case Bucket bucket -> "/" + bucket.bucket + "/" + bucket.key;
            case UrlList(String list) -> list;
        };
        String kept = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        return kept.substring(kept.lastIndexOf('/') + 1);
    }

    /** For a person who may see the job: without what a query says. */
    default String shown() {
        return switch (this) {
            case Home(String pattern) -> pattern;
            case Web web -> shown(web.uri);
            case Bucket bucket ->
                "s3://" + (bucket.profile.isEmpty() ? "" : bucket.profile + "@") + bucket.bucket + "/" + bucket.key;
            case UrlList(String list) -> "urls:" + list;
        };
    }

    private static String[] fields(URI uri) {
        return uri.getRawQuery() == null ? new String[0] : uri.getRawQuery().split("&", -1);
    }

    private static boolean isSecret(String field) {
        return SECRETS.contains(field.split("=", 2)[0].toLowerCase(Locale.ROOT));
    }

    /** A URL without signatures, which are others each time. */
    static String withoutSecrets(URI uri) {
        StringBuilder all = new StringBuilder(uri.toString().split("\\?", 2)[0]);
        for (String field : fields(uri)) {
            String name = field.toLowerCase(Locale.ROOT);
            if (!isSecret(field) && !name.startsWith("x-amz-") && !name.startsWith("x-goog-")) {
                all.append('&').append(field);
            }
        }
        return all.toString();
    }

    /** A URL without what its query says. */
    static String shown(URI uri) {
        return uri.getScheme() + "://" + uri.getRawAuthority() + uri.getRawPath()
                + (uri.getRawQuery() == null ? "" : "?...");
    }
}
