package org.spillway.head.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.head.config.HeadConfig;
import org.spillway.stage.worker.Identity;

/** Whether the head can make file systems of the versions that categories name. That they are there the configuration's reader says. */
final class VersionsLook {
    private static final List<String> FOLDERS = List.of("/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/local/bin");

    private VersionsLook() {}

    /** The finding on this machine, as this user. */
    static Optional<Finding> here(HeadConfig config) {
        boolean root;
        try {
            root = Identity.ownUid() == 0;
        } catch (IOException unknown) {
            root = false;
        }
        return of(
                config,
                root,
                program -> FOLDERS.stream().anyMatch(folder -> Files.isExecutable(Path.of(folder, program))));
    }

    /** @return nothing where no category names one */
    static Optional<Finding> of(HeadConfig config, boolean root, Predicate<String> installed) {
        List<String> named = config.roles().categories().values().stream()
                .filter(category -> category.version().isPresent())
                .map(HeadConfig.Category::name)
                .toList();
        if (named.isEmpty()) {
            return Optional.empty();
        }
        String of = "of categories: " + String.join(", ", named);
        if (!root) {
            return Optional.of(finding(
                    Verdict.BROKEN,
                    of + ": only root can give a tree its owners",
                    "run the head as root, or take image.version out"));
        }
        if (!installed.test("mkfs.erofs")) {
            return Optional.of(
                    finding(Verdict.BROKEN, of + ": mkfs.erofs is not installed here", "apt install erofs-utils"));
        }
        return Optional.of(
                installed.test("veritysetup")
                        ? finding(Verdict.GOOD, of, "")
                        : finding(
                                Verdict.WARNING,
                                of + ": without veritysetup nodes cannot verify what they read",
                                "apt install cryptsetup-bin"));
    }

    private static Finding finding(Verdict verdict, String said, String repair) {
        return new Finding("image versions", verdict, said, repair);
    }
}
