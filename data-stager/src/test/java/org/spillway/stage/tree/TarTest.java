package org.spillway.stage.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.stage.tree.TarFormat.Member;
import org.spillway.stage.tree.TarReader.Entry;
import org.spillway.stage.tree.TarReader.Kind;

class TarTest {
    private static final long SEED = Long.getLong("spillway.seed", new Random().nextLong());

    private static byte[] tar(List<Member> members) {
        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        for (Member member : members) {
            tar.writeBytes(TarFormat.header(member));
            byte[] content = new byte[(int) member.bytes()];
            new Random(member.bytes()).nextBytes(content);
            tar.writeBytes(content);
            tar.writeBytes(new byte[TarFormat.padding(member.bytes())]);
        }
        tar.writeBytes(new byte[TarFormat.END_BYTES]);
        return tar.toByteArray();
    }

    private static List<Entry> entries(byte[] tar) throws IOException {
        TarReader reader = new TarReader(new ByteArrayInputStream(tar));
        List<Entry> entries = new ArrayList<>();
        byte[] buffer = new byte[1000];
        for (Entry entry = reader.next(); entry != null; entry = reader.next()) {
            long bytes = 0;
            for (int n = reader.read(buffer); n >= 0 && entries.size() % 2 == 0; n = reader.read(buffer)) {
                bytes += n; // every other one is left unread
            }
            if (entry.kind() == Kind.FILE && entries.size() % 2 == 0) {
                assertThat(bytes).isEqualTo(entry.bytes());
            }
            entries.add(entry);
        }
        return entries;
    }

    private static List<Member> members(Random random, int count) {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            StringBuilder name = new StringBuilder("m" + i);
            int length = random.nextInt(400);
            while (name.length() < length) {
                name.append(random.nextInt(20) == 0 ? "/" + "x".repeat(random.nextInt(120)) + "y" : "z");
            }
            if (random.nextInt(4) == 0) {
                name.append("\u00e4\uD83D\uDE00");
            }
            members.add(new Member(name.toString(), random.nextInt(3000), random.nextLong(), random.nextBoolean()));
        }
        return members;
    }

    @Test
    void readsBackWhatItWrites() throws IOException {
        Random random = new Random(SEED);
        for (int i = 0; i < 300; i++) {
            List<Member> members = members(random, 8);
            assertThat(entries(tar(members)))
                    .as("seed %d", SEED)
                    .isEqualTo(members.stream()
                            .map(member -> new Entry(member.name(), Kind.FILE, member.bytes(), member.executable()))
                            .toList());
        }
    }

    @Test
    void saysSizesThatNeedAnExtendedHeader() throws IOException {
        for (long bytes : new long[] {TarFormat.OCTAL_MAX, TarFormat.OCTAL_MAX + 1, 1L << 50}) {
            byte[] header = TarFormat.header(new Member("huge", bytes, 0, false));
            assertThat(header).hasSize(bytes > TarFormat.OCTAL_MAX ? 3 * 512 : 512);
            Entry entry = new TarReader(new ByteArrayInputStream(header)).next();
            assertThat(entry).isEqualTo(new Entry("huge", Kind.FILE, bytes, false));
        }
    }

    @Test
    void damagedStreamsAreReadOrBrokenAndNothingElse() throws IOException {
        Random random = new Random(SEED);
        int broken = 0;
        for (int i = 0; i < 3000; i++) {
            byte[] tar = tar(members(random, 4));
            int damages = 1 + random.nextInt(4);
            for (int j = 0; j < damages; j++) {
                int block = random.nextInt(tar.length / 512) * 512;
                tar[block + random.nextInt(512)] = (byte) random.nextInt(256);
                if (random.nextBoolean()) {
                    mendSum(tar, block);
                }
            }
            try {
                entries(tar);
            } catch (TarBroken e) {
                broken++;
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + SEED + ", stream " + i, e);
            }
        }
        assertThat(broken).as("the test tests something").isPositive();
    }

    @ParameterizedTest
    @ValueSource(chars = {'x', 'L'})
    void aHeaderIsRefusedByTheLengthThatItClaims(char type) {
        byte[] header = TarFormat.header(new Member("x", 1L << 30, 0, false));
        header[TarFormat.TYPE_AT] = (byte) type;
        mendSum(header, 0);
        // None of the content is there: a reader that waited for it would say that the stream is cut off.
        assertThatThrownBy(() -> entries(header))
                .isInstanceOf(TarBroken.class)
                .hasMessageContaining("an extended header of 1073741824 bytes");
    }

    @Test
    void aStreamThatEndsBetweenTwoMembersIsBroken() {
        byte[] whole = tar(List.of(new Member("first", 512, 0, false)));
        byte[] cut = Arrays.copyOf(whole, whole.length - TarFormat.END_BYTES);
        assertThatThrownBy(() -> entries(cut)).isInstanceOf(TarBroken.class).hasMessageContaining("cut off");
    }

    @Test
    void aNameThatIsNotUtf8IsNoFile() throws IOException {
        byte[] tar = tar(List.of(new Member("xx", 0, 0, false)));
        tar[0] = (byte) 0xff;
        mendSum(tar, 0);
        assertThat(entries(tar)).extracting(Entry::kind).containsExactly(Kind.OTHER);
    }

    @Test
    void aSparseMemberIsNoFileWhateverSizeItClaims() throws IOException {
        byte[] record = "22 GNU.sparse.major=1\n".getBytes(StandardCharsets.US_ASCII);
        byte[] extended = TarFormat.header(new Member("x", record.length, 0, false));
        extended[TarFormat.TYPE_AT] = 'x';
        mendSum(extended, 0);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(extended);
        all.writeBytes(Arrays.copyOf(record, TarFormat.BLOCK_BYTES));
        all.writeBytes(tar(List.of(new Member("hollow", 0, 0, false))));
        assertThat(entries(all.toByteArray())).containsExactly(new Entry("hollow", Kind.OTHER, 0, false));
    }

    /** So that a damaged header gets past its checksum. */
    private static void mendSum(byte[] tar, int block) {
        byte[] header = Arrays.copyOfRange(tar, block, block + 512);
        byte[] digits = "%06o\0 ".formatted(TarFormat.sum(header)).getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(digits, 0, tar, block + TarFormat.CHECKSUM_AT, 8);
    }
}
