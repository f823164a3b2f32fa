package org.spillway.head.staging;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.director.wire.PullState;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;
import org.spillway.stage.tree.TarFormat;
import org.spillway.stage.worker.UserFiles;

/** A table at home of what came from other ends, what did not and why, for whoever has given a list. */
final class PullTable {
    private static final Logger LOG = LoggerFactory.getLogger(PullTable.class);

    private PullTable() {}

    /** The name of its file in the job's folder at home. */
    static String name(String job) {
        return "spillway-" + job + ".inputs.tsv";
    }

    /** A line for each file: its name, where it lies, what came of it, its bytes, and a detail. Pure. */
    static String text(DistantInputs inputs) {
        StringBuilder text = new StringBuilder("name\tfrom\tstate\tbytes\tdetail\n");
        List<DistantFile> files = inputs.files();
        for (int i = 0; i < files.size(); i++) {
            PullState.Result result = inputs.result(i);
            String state = result == null
                    ? "not-asked"
                    : result.fault().isEmpty()
                            ? result.kept() ? "kept" : result.changed() ? "changed" : "came"
                            : result.fault().toLowerCase(Locale.ROOT).replace('_', '-');
            text.append(clean(files.get(i).name()))
                    .append('\t')
                    .append(clean(files.get(i).shown()))
                    .append('\t')
                    .append(state)
                    .append('\t')
                    .append(result == null ? 0 : result.bytes())
                    .append('\t')
                    .append(result == null ? "" : clean(result.detail()))
                    .append('\n');
        }
        return text.toString();
    }

    private static String clean(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }

    /** Puts it into the job's folder with the user's rights; a failure is only told. */
    static void write(UserFiles user, String folder, String job, DistantInputs inputs) {
        byte[] table = text(inputs).getBytes(StandardCharsets.UTF_8);
        Path place = Path.of(folder).resolve(name(job));
        String tag = job + "-inputs";
        try {
            ByteArrayOutputStream tar = new ByteArrayOutputStream();
            tar.writeBytes(TarFormat.header(new TarFormat.Member("table", table.length, 0, false)));
            tar.writeBytes(table);
            tar.writeBytes(new byte[TarFormat.padding(table.length) + TarFormat.END_BYTES]);
            byte[] bytes = tar.toByteArray();
            Checksum checksum = Sha256.checksum(bytes.length, digested(bytes));
            user.abandon(place, tag);
            user.writePart(place, tag, 0, new ByteArrayInputStream(bytes));
            user.settle(place, tag, checksum);
            user.unpack(place, tag, checksum, List.of(new UserFiles.Rule("table", place, false)));
            user.abandon(place, tag);
        } catch (IOException e) {
            LOG.warn("job {}: its table of inputs is not written: {}", job, e.toString());
        }
    }

    private static MessageDigest digested(byte[] bytes) {
        var digest = Sha256.digest();
        digest.update(bytes);
        return digest;
    }
}
