package org.spillway.head.bootstrap;

import java.nio.file.Path;
import java.time.Duration;

/**
 * Settings that are the same for every director.
 *
 * @param distribution folder with the director's jars
 * @param javaHome looked at first on the instance; empty for none
 * @param headJava of a JDK on this machine: cut to size, it is brought to an instance that has none
 * @param javaCache folder for what is made of it; made when it is needed
 * @param baseDn of the directory
 * @param httpsPort on the instance's own address
 * @param ldapsPort on the instance's own address
 * @param sshWait how long a booting instance may take until SSH answers
 * @param startWait how long the process may take until it answers
 */
public record DirectorSettings(
        Path distribution,
        String javaHome,
        Path headJava,
        Path javaCache,
        String baseDn,
        int httpsPort,
        int ldapsPort,
        Duration sshWait,
        Duration startWait) {
    public static final int HTTPS_PORT = 8443;
    public static final int LDAPS_PORT = 8636;

    public DirectorSettings {
        // The home becomes a word of a command on the instance.
        if (!javaHome.matches("[A-Za-z0-9/._+-]*")) {
            throw new IllegalArgumentException("a Java home with unusual characters: '" + javaHome + "'");
        }
    }

    /** With the usual ports and this process's Java, 3 minutes for SSH and as many for the start on a small machine. */
    public static DirectorSettings usual(Path distribution, Path javaCache, String baseDn) {
        String java = System.getProperty("java.home", "");
        return new DirectorSettings(
                distribution,
                java,
                Path.of(java),
                javaCache,
                baseDn,
                HTTPS_PORT,
                LDAPS_PORT,
                Duration.ofMinutes(3),
                Duration.ofMinutes(3));
    }
}
