package org.spillway.head.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.attribute.UserPrincipal;
import org.junit.jupiter.api.Test;
import org.spillway.api.ApiException;

/** I3: who calls is known for certain or refused; no number is put in another's place. */
final class PeerCredentialsTest {
    private static final int NOBODY_HERE = 3_999_111;

    private static UserPrincipal principal(String name) throws IOException {
        return FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByName(name);
    }

    @Test
    void aUserThatTheNameServiceDoesNotKnowHasNoGroupHere() throws IOException {
        var caller = new PeerCredentials((what, name) -> "").of(principal(Integer.toString(NOBODY_HERE)));
        assertThat(caller.uid()).isEqualTo(NOBODY_HERE);
        assertThat(caller.gid()).isEqualTo(Caller.NO_GID);
        assertThat(caller.admin()).isFalse();
    }

    @Test
    void aNameServiceThatFailsBetweenTwoQuestionsIsARefusal() throws IOException {
        UserPrincipal root = principal("root");
        var hiccup = new PeerCredentials((what, name) -> what.equals("-u") ? "0" : "");
        assertThatThrownBy(() -> hiccup.of(root))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("no gid for root");
        var silent = new PeerCredentials((what, name) -> {
            throw new IOException("id did not answer within 10 s");
        });
        assertThatThrownBy(() -> silent.of(root))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("does not answer");
        assertThat(new PeerCredentials().of(root).gid()).isZero();
    }
}
