package org.spillway.head.bootstrap;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.LinkedHashMap;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.trust.SiteAuthority;

/** Files that a director needs on its instance: its jars, its configuration, its key and its certificates. */
final class DirectorFiles {
    static final String FOLDER = "spillway-director";

    private DirectorFiles() {}

    /** @throws IOException if the distribution is not there */
    static RemoteFiles of(DirectorSettings settings, SiteAuthority authority, DirectorTarget director)
            throws IOException {
        var credential = authority.directorCertificate(director.node(), director.site(), director.inside());
        return new RemoteFiles(FOLDER, false)
                .jars(settings.distribution())
                .text("tls/server.key", credential.keyPem())
                .text("tls/server.crt", credential.certificatePem())
                .text("tls/site.crt", authority.certificatePem())
                .text("director.json", configuration(settings, director));
    }

    private static String configuration(DirectorSettings settings, DirectorTarget director) throws IOException {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("site", director.site());
        fields.put("listenAddress", director.inside());
        fields.put("httpsPort", settings.httpsPort());
        fields.put("ldapsPort", settings.ldapsPort());
        fields.put("baseDn", settings.baseDn());
        fields.put("stateDirectory", "state");
        fields.put("serverKey", "tls/server.key");
        fields.put("serverCertificate", "tls/server.crt");
        fields.put("siteCertificate", "tls/site.crt");
        fields.put("headSubject", SiteAuthority.HEAD_NAME);
        return JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(fields) + "\n";
    }
}
