package org.spillway.head.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.director.wire.Mounts;
import org.spillway.director.wire.Mounts.Mount;

/** Storage of a site's nodes as it is configured, and mistakes in that. */
final class MountsReaderTest extends ConfigScene {
    private static String with(String mounts) {
        return SMALL.replace("maxNodes: 4", "maxNodes: 4\n    nodes: { mounts: " + mounts + " }")
                + "categories: { ml: { queues: [east] } }\n";
    }

    @Test
    void aSiteHasNoneUnlessItSaysSo() throws Exception {
        assertThat(read(SMALL).sites().get("east").mounts()).isEqualTo(Mounts.NONE);
    }

    @Test
    void eachIsAsItIsWrittenAndCategoriesMayHaveOthersAtOnePlace() throws Exception {
        var read = read(SMALL.replace("maxNodes: 4", "maxNodes: 4\n    nodes: { mounts: [" + """
                        { at: /home, from: "[fd00::5]:/home", type: nfs4 },
                        { at: /data, from: "10.0.0.5:/export/data", type: nfs, options: "vers=4.2,ro", limit: 1500ms, category: ml },
                        { at: /database, from: "mgs@tcp:/fs", type: lustre, category: ml }] }""")
                + "categories: { ml: { queues: [east] } }\n");
        assertThat(read.sites().get("east").mounts())
                .isEqualTo(new Mounts(List.of(
                        new Mount("/home", "[fd00::5]:/home", "nfs4", "", 20, ""),
                        new Mount("/data", "10.0.0.5:/export/data", "nfs", "vers=4.2,ro", 2, "ml"),
                        new Mount("/database", "mgs@tcp:/fs", "lustre", "", 20, "ml"))));
    }

    @Test
    void scratchIsOfTheMachinesDisks() throws Exception {
        var read = read(SMALL.replace("maxNodes: 4", "maxNodes: 4\n    nodes: { mounts: [" + """
                        { at: /scratch, from: nvme, type: scratch, options: "noatime,least=1800GB" },
                        { at: /more, from: "/dev/disk/by-id/virtio-scratch*", type: scratch }] }"""));
        assertThat(read.sites().get("east").mounts())
                .isEqualTo(new Mounts(List.of(
                        new Mount("/scratch", "nvme", "scratch", "noatime,least=1800GB", 20, ""),
                        new Mount("/more", "/dev/disk/by-id/virtio-scratch*", "scratch", "", 20, ""))));
    }

    @Test
    void aNodeGetsThoseOfItsSiteAndOfItsCategory() {
        var mounts = new Mounts(List.of(
                new Mount("/home", "srv:/home", "nfs4", "", 20, ""),
                new Mount("/data", "srv:/data", "nfs", "ro", 2, "ml")));
        assertThat(mounts.lines("")).isEqualTo("20 nfs4 /home srv:/home -\n");
        assertThat(mounts.lines("other")).isEqualTo(mounts.lines(""));
        assertThat(mounts.lines("ml")).isEqualTo(mounts.lines("") + "2 nfs /data srv:/data ro\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            value = {
                "{ at: '/', from: 'srv:/x', type: nfs }=>.at: found '/'; allowed: a folder: absolute, of letters, digits and ._-, and none of the system's own",
                "{ at: '/etc', from: 'srv:/x', type: nfs }=>.at: found '/etc'; allowed: a folder: absolute, of letters, digits and ._-, and none of the system's own",
                "{ at: '/usr/local/data', from: 'srv:/x', type: nfs }=>.at: found '/usr/local/data'; allowed: a folder: absolute, of letters, digits and ._-, and none of the system's own",
                "{ at: '/proc', from: 'srv:/x', type: nfs }=>.at: found '/proc'; allowed: a folder: absolute, of letters, digits and ._-, and none of the system's own",
                "{ at: '/tmp/x', from: 'srv:/x', type: nfs }=>.at: found '/tmp/x'; allowed: a folder: absolute, of letters, digits and ._-, and none of the system's own",
                "{ at: '/var/lib/spillway-node', from: 'srv:/x', type: nfs }=>.at: found '/var/lib/spillway-node'; allowed: a folder: absolute, of letters, digits and ._-, and none of the system's own",
                "{ at: 'data', from: 'srv:/x', type: nfs }=>.at: found 'data'; allowed: a folder: absolute, of letters, digits and ._-, and none of the system's own",
                "{ at: '/data/../etc', from: 'srv:/x', type: nfs }=>.at: found '/data/../etc'; allowed: a folder: absolute, of letters, digits and ._-, and none of the system's own",
                "{ at: '/data/', from: 'srv:/x', type: nfs }=>.at: found '/data/'; allowed: a folder: absolute, of letters, digits and ._-, and none of the system's own",
                "{ at: '/a b', from: 'srv:/x', type: nfs }=>.at: found '/a b'; allowed: a folder: absolute, of letters, digits and ._-, and none of the system's own",
                "{ at: '/.hidden', from: 'srv:/x', type: nfs }=>.at: found '/.hidden'; allowed: a folder: absolute, of letters, digits and ._-, and none of the system's own",
                "{ from: 'srv:/x', type: nfs }=>.at: missing; allowed: a folder: absolute, of letters, digits and ._-, and none of the system's own",
                "{ at: /data, from: '-o', type: nfs }=>.from: found '-o'; allowed: a source as mount takes it, such as 10.0.0.5:/export/data, of up to 255 letters, digits and ._:/@%+,=[]-",
                "{ at: /data, from: 'a;reboot', type: nfs }=>.from: found 'a;reboot'; allowed: a source as mount takes it, such as 10.0.0.5:/export/data, of up to 255 letters, digits and ._:/@%+,=[]-",
                "{ at: /data, from: '$(reboot):/x', type: nfs }=>.from: found '$(reboot):/x'; allowed: a source as mount takes it, such as 10.0.0.5:/export/data, of up to 255 letters, digits and ._:/@%+,=[]-",
                "{ at: /data, from: 'srv:/x' }=>.type: missing; allowed: a type of file system such as nfs, of up to 31 lower-case letters, digits and ._-",
                "{ at: /data, from: 'srv:/x', type: ../x }=>.type: found '../x'; allowed: a type of file system such as nfs, of up to 31 lower-case letters, digits and ._-",
                "{ at: /data, from: 'srv:/x', type: nfs, options: 'ro soft' }=>.options: found 'ro soft'; allowed: options with commas, such as vers=4.2,ro, of up to 255 letters, digits and ._:/@%+=,[]-",
                "{ at: /data, from: '//srv/x', type: cifs, options: 'user=a,password=b' }=>.options: found a secret, which a process's arguments would show to everybody; allowed: the name of a file that the image has, such as credentials=/etc/data.credentials",
                "{ at: /data, from: '//srv/x', type: cifs, options: 'user=a Password=b c' }=>.options: found a secret, which a process's arguments would show to everybody; allowed: the name of a file that the image has, such as credentials=/etc/data.credentials",
                "{ at: /scratch, from: sdb, type: scratch }=>.from: found 'sdb'; allowed: nvme, which is the instance storage of AWS and Azure, or disks such as /dev/disk/by-id/virtio-scratch*",
                "{ at: /scratch, from: '/dev/sd[bc]', type: scratch }=>.from: found '/dev/sd[bc]'; allowed: nvme, which is the instance storage of AWS and Azure, or disks such as /dev/disk/by-id/virtio-scratch*",
                "{ at: /scratch, from: nvme, type: scratch, options: 'noatime,least=2TB' }=>.options: found 'least=2TB'; allowed: what all disks have together, such as least=1800GB",
                "{ at: /data, from: 'srv:/x', type: nfs, limit: 1h }=>.limit: found '1h'; allowed: a length of time from 1s to 5m",
                "{ at: /data, from: 'srv:/x', type: nfs, category: lm }=>.category: found 'lm'; allowed: ml",
                "{ at: /data, from: 'srv:/x', type: nfs, option: ro }=>.option: unknown key; allowed: at, type, from, options, limit, category; did you mean 'options'?",
                "{ at: /data, from: 'a:/x', type: nfs }, { at: /data, from: 'b:/x', type: nfs, category: ml }=>.at: found '/data' beside '/data' on the same nodes; allowed: places of which none is another or below it",
                "{ at: /data, from: 'a:/x', type: nfs }, { at: /data/sub, from: 'b:/x', type: nfs }=>.at: found '/data/sub' beside '/data' on the same nodes; allowed: places of which none is another or below it",
            })
    void isRejectedAtItsLine(String mounts, String mistake) throws Exception {
        assertThat(mistakes(with("[" + mounts + "]")))
                .containsExactly("spillway.yaml:10: sites.east.nodes.mounts" + mistake);
    }

    @Test
    void aMountHasNoMoreTimeThanItsNodeToRegister() throws Exception {
        String site = SMALL.replace(
                "maxNodes: 4",
                "maxNodes: 4\n    registration: 12s\n    nodes: { mounts: [{ at: /d, from: x, type: nfs MORE }] }");
        assertThat(mistakes(site.replace(" MORE", ", limit: 13s")))
                .containsExactly(
                        "spillway.yaml:11: sites.east.nodes.mounts.limit: found '13s'; allowed: a length of time from"
                                + " 1s to 12s");
        assertThat(read(site.replace(" MORE", "")).sites().get("east").mounts().all())
                .containsExactly(new Mount("/d", "x", "nfs", "", 12, ""));
    }

    @Test
    void itIsAListOfWhatThereIs() throws Exception {
        assertThat(mistakes(with("/data")))
                .containsExactly(
                        "spillway.yaml:10: sites.east.nodes.mounts: found '/data'; allowed: a list of at most 16"
                                + " sections of keys");
        assertThat(mistakes(SMALL.replace(
                        "maxNodes: 4",
                        "maxNodes: 4\n    nodes: { mounts: [{ at: /d, from: x, type: nfs, category: ml }] }")))
                .containsExactly(
                        "spillway.yaml:10: sites.east.nodes.mounts.category: found 'ml'; allowed: none is defined");
    }
}
