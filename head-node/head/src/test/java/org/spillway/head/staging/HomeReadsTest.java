package org.spillway.head.staging;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class HomeReadsTest {
    private final HomeReads reads = new HomeReads();

    @Test
    void aJobsReadsAreToldWithTheFoldersOfMostBytes() {
        assertThat(reads.of("7")).isEmpty();
        reads.had("7", "/home/ann/data/x", 100);
        assertThat(reads.of("7").orElseThrow())
                .startsWith("1 file of its user's home, 100 B, came over the link")
                .endsWith("most of it is in /home/ann/data/ (1 file, 100 B)");
        reads.had("7", "/home/ann/data/x", 1_000_000);
        for (int i = 0; i < 10; i++) {
            reads.had("7", "/home/ann/many/" + i, 10);
            reads.had("7", "/home/ann/" + i + "/one", i);
        }
        assertThat(reads.of("7").orElseThrow())
                .startsWith("21 files of its user's home, 1.0 MB, ")
                .endsWith(
                        "in /home/ann/data/ (1 file, 1.0 MB), /home/ann/many/ (10 files, 100 B), /home/ann/9/ (1 file, 9 B)");
        assertThat(reads.of("8")).isEmpty();
    }

    @Test
    void neitherFilesNorJobsGrowWithoutEnd() {
        for (int i = 0; i < 6000; i++) {
            reads.had("1", "/h/f" + i, 1);
            reads.had("j" + i, "/h/f", 1);
        }
        reads.had("1", "/h/f", 1);
        assertThat(reads.of("1").orElseThrow()).startsWith("more than 5000 files of its user's home, 6.0 KB, ");
        assertThat(reads.of("j0")).isEmpty();
        assertThat(reads.of("j5999")).isPresent();
    }
}
