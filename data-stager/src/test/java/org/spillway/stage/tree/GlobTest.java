package org.spillway.stage.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "data/a.csv | data/a.csv | true",
                "data/a.csv | data/b.csv | false",
                "data | data/a/b | false",
                "*.csv | a.csv | true",
                "*.csv | d/a.csv | false",
                "*.csv | .csv | false",
                "*.csv | .a.csv | false",
                ".*.csv | .a.csv | true",
                "a* | a.b | true",
                "a? | a. | true",
                "?a | .a | false",
                "[.]a | .a | false",
                "[!x]a | .a | false",
                "[!x]a | ba | true",
                "[!x]a | xa | false",
                "[a-c]z | bz | true",
                "[a-c]z | dz | false",
                "[]a]z | ]z | true",
                "[a-]z | -z | true",
                "[ -~]z | 0z | true",
                "**/x | x | true",
                "**/x | a/b/x | true",
                "**/x | a/.b/x | false",
                "a/**/b | a/b | true",
                "a/** | a | false",
                "a/** | a/b/c | true",
                "a/** | a/.b | false",
                "** | .a | false",
                "a/**/**/b | a/x/b | true",
                "{a,b{1,2}}.c | b2.c | true",
                "{a,b{1,2}}.c | b.c | false",
                "a{,.bak} | a | true",
                "a{,.bak} | a.bak | true",
                "{a/b,c}/d | a/b/d | true",
                "a//./b/ | a/b | true",
                "\\*.csv | *.csv | true",
                "\\*.csv | a.csv | false",
                "a\\{b | a{b | true",
                "? | ä | true",
                "? | \uD83D\uDE00 | true",
                "/a/* | /a/b | true",
                "/a/* | a/b | false",
                "a/* | /a/b | false",
            })
    void matchesThePathItself(String pattern, String path, boolean matched) {
        assertThat(Glob.parse(pattern).matches(path)).isEqualTo(matched);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "data | data | true",
                "data | data/a/b | true",
                "data | data/.hidden | true",
                "data | database | false",
                "out/* | out/a/.hidden/c | true",
                "out/* | out/.hidden/c | false",
                "out/* | out | false",
                ". | a/b | true",
                "./ | .a | true",
            })
    void coversWhatIsInAMatchedFolder(String pattern, String path, boolean covered) {
        assertThat(Glob.parse(pattern).covers(path)).isEqualTo(covered);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "data/a.csv | data/a.csv | true",
                "/home/u/data/ | /home/u/data | true",
                "/home/u/*/x | /home/u | false",
                "data/** | data | false",
                "out/{a,b}.txt | out | false",
                "{out/a,out/b}/c/d | out | false",
                "{a,b}/c | '' | false",
                "*.csv | '' | false",
                "a\\*/b/[x]/c | a*/b | false",
                ". | '' | true",
            })
    void tellsItsFixedPart(String pattern, String base, boolean plain) {
        assertThat(Glob.parse(pattern).base()).isEqualTo(base);
        assertThat(Glob.parse(pattern).isPlain()).isEqualTo(plain);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | a pattern is empty",
                "a[b | position 2: '[' is not closed",
                "a[b/c] | position 2: '[' is not closed",
                "[] | position 1: '[' is not closed",
                "[z-a] | position 2: a range that ends before it begins",
                "x[[:alpha:]] | position 3: named classes",
                "a{b | position 2: '{' is not closed",
                "a} | position 2: '}' without '{'",
                "a{b}c | position 2: braces without a comma",
                "a/../b | position 3: '..' cannot be",
                "a**.csv | position 3: '**' has to be alone",
                "*** | position 2: '**' has to be alone",
                "a\\ | position 2: a backslash with nothing behind it",
                "{/a,b} | position 1: some of its alternatives begin with '/'",
                "{a,} | position 1: one of its alternatives is empty",
                "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b} | position 41: braces expand to more than 256",
            })
    void saysWhatIsWrongAndWhere(String pattern, String message) {
        assertThatThrownBy(() -> Glob.parse(pattern))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource({"a, 5000, longer than 4096", "{, 400, nested deeper than 16", "'{aaaaaaaaaa,b}', 8, longer than 8192"})
    void isBounded(String piece, int times, String message) {
        assertThatThrownBy(() -> Glob.parse(piece.repeat(times) + "x".repeat(30)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource({"*a*a*a*a*a*a*a*a*a*a*a*a*b"})
    void manyStarsTakeNoLonger(String pattern) {
        String name = "a".repeat(20_000);
        assertThat(Glob.parse(pattern).matches(name)).isFalse();
        assertThat(Glob.parse(pattern).matches(name + "b")).isTrue();
    }
}
