package org.spillway.stage.worker;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.spillway.stage.worker.UserFiles.Rule;
import org.spillway.stage.worker.UserFiles.Unpacked;

/** A bundle that a user's worker unpacks. */
abstract class UnpackScene extends OwnWorker {
    Path bundle;
    Path out;

    @BeforeEach
    final void name() {
        bundle = temporary.resolve("jobs/7/rank-0.tar");
        out = temporary.resolve("home/out");
    }

    Unpacked unpack(byte[] tar, Rule... rules) throws IOException {
        bring(tar);
        return worker.unpack(bundle, "7-1", checksum(tar), List.of(rules));
    }

    void bring(byte[] tar) throws IOException {
        worker.writePart(bundle, "7-1", 0, new ByteArrayInputStream(tar));
        worker.settle(bundle, "7-1", checksum(tar));
    }

    Rule everything() {
        return new Rule(".", out, true);
    }

    byte[] gnuTar(String... arguments) throws IOException {
        return run(
                folder,
                Stream.concat(Stream.of("tar", "-cf", "-"), Stream.of(arguments))
                        .toArray(String[]::new));
    }
}
