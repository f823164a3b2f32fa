package org.spillway.stage.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.spillway.stage.Sha256;
import org.spillway.stage.bucket.AwsKeys;
import org.spillway.stage.bucket.ObjectPage;
import org.spillway.stage.bucket.SignedUrl;
import org.spillway.stage.pull.Inquiry;
import org.spillway.stage.pull.Networks;
import org.spillway.stage.pull.PullRefused;
import org.spillway.stage.tree.Origin;
import org.spillway.stage.tree.UrlLine;
import org.spillway.stage.worker.UserFiles.Distant;
import org.spillway.stage.worker.UserFiles.Reach;
import org.spillway.stage.worker.UserFiles.Ticket;

/** Inputs that do not lie at home, and the user's own keys to them. JDK classes only. */
final class DistantFiles {
    private static final Duration LIFE = Duration.ofHours(1);
    private static final int SECRETS_MOST_BYTES = 1 << 20;
    private static final int PAGE_MOST_BYTES = 16 << 20;
    private static final long LIST_MOST_BYTES = 256L << 20;

    private final Path home;
    private final int uid;
    private final WorkerFiles.Sink alive;
    private final Map<String, AwsKeys> keys = new HashMap<>();

    /** @param home of the user */
    DistantFiles(Path home, int uid, WorkerFiles.Sink alive) {
        this.home = home;
        this.uid = uid;
        this.alive = alive;
    }

    List<Distant> find(String pattern, Reach reach) throws IOException {
        Inquiry inquiry = new Inquiry(Networks.of(reach.networks()), address -> false, reach.trust());
        Origin origin = Origin.of(pattern);
        return switch (origin) {
            case Origin.Home here -> throw new FileRefused(pattern + ": lies at home");
            case Origin.UrlList(String list) -> lines(Path.of(list), reach.files());
            case Origin.Bucket bucket when bucket.isPrefix() -> objects(bucket, inquiry, reach.files());
            case Origin.Bucket bucket -> List.of(single(pattern, bucket, inquiry, reach.sizes()));
            case Origin.Web web -> List.of(single(pattern, web, inquiry, reach.sizes()));
        };
    }

    private Distant single(String pattern, Origin origin, Inquiry inquiry, boolean sizes) throws IOException {
        String name = origin.lastName();
        if (name.isEmpty()) {
            name = "index"; // of a page that has no name of its own
        }
        return new Distant(pattern, name, sizes ? bytes(origin, inquiry) : -1, "");
    }

    /** -1 where nobody says: this machine may have no way to a server that the region has. */
    private long bytes(Origin origin, Inquiry inquiry) throws IOException {
        URI uri;
        String authorization = "";
        if (origin instanceof Origin.Bucket bucket) {
            uri = url(bucket, "HEAD");
        } else if (origin instanceof Origin.Web web) {
            uri = web.uri();
            authorization = authorization(web);
        } else {
            return -1;
        }
        try {
            return inquiry.bytes(uri, authorization);
        } catch (PullRefused e) {
            throw refused(origin, e);
        } catch (IOException nobody) {
            return -1;
        }
    }

    private static FileRefused refused(Origin origin, PullRefused why) {
        String said = switch (why.fault()) {
            case REFUSED ->
                "the server refuses it (" + why.detail() + "): its keys or password are missing, or will not do";
            case ABSENT -> "there is no such file (" + why.detail() + ")";
            case ADDRESS -> "inputs may not come from " + why.detail();
            case UNTRUSTED -> "the server's certificate is not trusted";
            default -> why.fault() + (why.detail().isEmpty() ? "" : " (" + why.detail() + ")");
        };
        return new FileRefused(origin.shown() + ": " + said);
    }

    private List<Distant> lines(Path list, int most) throws IOException {
        if (Files.size(list) > LIST_MOST_BYTES) {
            throw new FileRefused(WorkerFiles.say(list) + ": a list of more than " + LIST_MOST_BYTES + " bytes");
        }
        List<Distant> all = new ArrayList<>();
        int number = 0;
        try (BufferedReader reader = Files.newBufferedReader(list)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                number++;
                Optional<UrlLine> entry = UrlLine.of(line);
                if (entry.isPresent()) {
                    all.add(new Distant(
                            line.strip().split("[\t ]", 2)[0],
                            entry.get().name(),
                            -1,
                            entry.get().sha256()));
                }
                if (all.size() > most) {
                    throw new FileRefused(WorkerFiles.say(list) + ": more than " + most + " files");
                }
            }
        } catch (IllegalArgumentException e) {
            throw new FileRefused(WorkerFiles.say(list) + ": line " + number + ": " + e.getMessage());
        }
        if (all.isEmpty()) {
            throw new FileRefused(WorkerFiles.say(list) + ": names no file");
        }
        return all;
    }

    private List<Distant> objects(Origin.Bucket bucket, Inquiry inquiry, int most) throws IOException {
        List<Distant> all = new ArrayList<>();
        String next = "";
        int from = bucket.key().isEmpty()
                ? 0
                : bucket.key().length() - bucket.lastName().length() - 1;
        String above = bucket.key().isEmpty() ? bucket.bucket() + "/" : "";
        do {
            Map<String, String> query = new HashMap<>(Map.of("list-type", "2", "prefix", bucket.key()));
            if (!next.isEmpty()) {
                query.put("continuation-token", next);
            }
            ObjectPage page;
            try {
                URI uri = SignedUrl.of(keys(bucket.profile()), "GET", bucket.bucket(), "", query, Instant.now(), LIFE);
                page = inquiry.get(uri, PAGE_MOST_BYTES, ObjectPage::read);
            } catch (PullRefused e) {
                throw refused(bucket, e);
            }
            for (ObjectPage.Item item : page.objects()) {
                if (item.key().startsWith(bucket.key()) && !item.key().endsWith("/")) {
                    String profile = bucket.profile().isEmpty() ? "" : bucket.profile() + "@";
                    String origin = "s3://" + profile + bucket.bucket() + "/" + item.key();
                    all.add(new Distant(origin, above + item.key().substring(from), item.bytes(), ""));
                }
            }
            if (all.size() > most) {
                throw new FileRefused(bucket.shown() + ": more than " + most + " files");
            }
            alive.working();
            next = page.next();
        } while (!next.isEmpty());
        if (all.isEmpty()) {
            throw new FileRefused(bucket.shown() + ": there is nothing");
        }
        return all;
    }

    List<Ticket> tickets(List<Distant> files) throws IOException {
        List<Ticket> all = new ArrayList<>();
        for (Distant file : files) {
            all.add(
                    switch (Origin.listed(file.origin())) {
                        case Origin.Web web -> new Ticket(web.uri().toString(), authorization(web), key(web));
                        case Origin.Bucket bucket ->
                            new Ticket(url(bucket, "GET").toString(), "", key(bucket));
                        case Origin.Home here -> throw new FileRefused("a file at home needs no ticket");
                        case Origin.UrlList list -> throw new FileRefused("a list needs no ticket");
                    });
        }
        return all;
    }

    private static String key(Origin.Web web) {
        return digest(web.login() + "\0" + Origin.withoutSecrets(web.uri()));
    }

    /** A place is the same whatever signature leads to it. */
    private String key(Origin.Bucket bucket) throws IOException {
        AwsKeys own = keys(bucket.profile());
        AwsKeys nobody = new AwsKeys("", "", "", own.region(), own.endpoint());
        return digest(SignedUrl.of(nobody, "GET", bucket.bucket(), bucket.key(), Map.of(), Instant.EPOCH, LIFE)
                .toString());
    }

    private static String digest(String text) {
        return HexFormat.of().formatHex(Sha256.digest().digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    private URI url(Origin.Bucket bucket, String method) throws IOException {
        try {
            return SignedUrl.of(
                    keys(bucket.profile()), method, bucket.bucket(), bucket.key(), Map.of(), Instant.now(), LIFE);
        } catch (IllegalArgumentException e) {
            throw new FileRefused(bucket.shown() + ": " + e.getMessage());
        }
    }

    private AwsKeys keys(String profile) throws IOException {
        AwsKeys known = keys.get(profile);
        if (known == null) {
            String secret = secret(home.resolve(".aws/credentials"));
            Path config = home.resolve(".aws/config");
            String open = Files.isRegularFile(config) ? Files.readString(config) : "";
            try {
                known = AwsKeys.of(secret, open, profile);
            } catch (IllegalArgumentException e) {
                throw new FileRefused(String.valueOf(e.getMessage()));
            }
            keys.put(profile, known);
        }
        return known;
    }

    private String authorization(Origin.Web web) throws IOException {
        if (web.login().isEmpty()) {
            return "";
        }
        String host = web.uri().getHost();
        String password = Netrc.password(secret(home.resolve(".netrc")), host, web.login())
                .orElseThrow(() ->
                        new FileRefused("~/.netrc has no password of login '" + web.login() + "' at machine " + host));
        byte[] both = (web.login() + ":" + password).getBytes(StandardCharsets.UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(both);
    }

    /** Empty when there is none. */
    private String secret(Path file) throws IOException {
        try {
            Path real = file.toRealPath();
            int mode = (int) Files.getAttribute(real, "unix:mode");
            int owner = (int) Files.getAttribute(real, "unix:uid");
            if (owner != uid || (mode & 077) != 0) {
                throw new FileRefused(WorkerFiles.say(file)
                        + ": others may read it, or it is another's: run 'chmod 600 " + WorkerFiles.say(file) + "'");
            }
            if (Files.size(real) > SECRETS_MOST_BYTES) {
                throw new FileRefused(WorkerFiles.say(file) + ": is too large");
            }
            return Files.readString(real);
        } catch (NoSuchFileException none) {
            return "";
        }
    }
}
