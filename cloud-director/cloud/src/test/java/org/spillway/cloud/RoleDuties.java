package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.spillway.cloud.ProviderUnderTest.eventually;
import static org.spillway.cloud.ProviderUnderTest.first;
import static org.spillway.cloud.ProviderUnderTest.listed;
import static org.spillway.cloud.ProviderUnderTest.request;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.ProviderUnderTest.Luck;

/** Roles are present as declared; console and power. */
abstract class RoleDuties extends Duties {
    RoleDuties(ProviderUnderTest provider) {
        super(provider);
    }

    @Test
    void arePresentAsDeclared() {
        assertThat(present("power", site.power())).isEqualTo(provider.roles().contains("power"));
        assertThat(present("console", site.console()))
                .isEqualTo(provider.roles().contains("console"));
        assertThat(present("network", site.network()))
                .isEqualTo(provider.roles().contains("network"));
        assertThat(present("inventory", site.inventory()))
                .isEqualTo(provider.roles().contains("inventory"));
    }

    private static boolean present(String name, Optional<?> role) {
        assertThat(role).as(name).isNotNull();
        return role.isPresent();
    }

    @Test
    void consoleShowsWhatUserDataWrites() throws Exception {
        if (site.console().isEmpty()) {
            assertThat(provider.roles()).doesNotContain("console");
            return;
        }
        Console console = site.console().orElseThrow();
        String id = first(site.compute()
                        .launch(request(provider.offering("here"), 1, "#!/bin/sh\necho user-data-$((40+2))-ran\n")))
                .id();
        assertThat(eventually(() -> console.output(id), text -> text.contains("user-data-42-ran")))
                .isNotEmpty();
        assertThatThrownBy(() -> console.output("i-00000000000000000")).isInstanceOf(CloudException.class);
    }

    @Test
    void aConsoleThatIsNotThereYetOrTornIsNeverMoreThanWasSaid() throws Exception {
        if (site.console().isEmpty()) {
            assertThat(provider.roles()).doesNotContain("console");
            return;
        }
        Console console = site.console().orElseThrow();
        String id = first(site.compute()
                        .launch(request(provider.offering("here"), 1, "#!/bin/sh\necho user-data-$((40+2))-ran\n")))
                .id();
        String whole = eventually(() -> console.output(id), text -> text.contains("user-data-42-ran\n"));
        provider.arrange(new Luck.OddConsole(false));
        assertThat(console.output(id)).isEmpty();
        provider.arrange(new Luck.OddConsole(true));
        try {
            String torn = console.output(id);
            assertThat(whole).startsWith(torn).isNotEqualTo(torn);
        } catch (CloudException unreadable) {
            assertThat(unreadable).hasMessageContaining("console");
        }
        assertThat(console.output(id)).contains("user-data-42-ran\n");
    }

    @Test
    void powerStopsAndStartsWithoutANewInstance() throws Exception {
        if (site.power().isEmpty()) {
            assertThat(provider.roles()).doesNotContain("power");
            return;
        }
        Power power = site.power().orElseThrow();
        LaunchRequest request = provider.one();
        List<String> ids = List.of(first(site.compute().launch(request)).id());
        awaitState(request, Instance.State.RUNNING);
        power.stop(ids);
        power.stop(ids);
        awaitState(request, Instance.State.STOPPED);
        power.start(ids);
        power.start(ids);
        awaitState(request, Instance.State.RUNNING);
    }

    private void awaitState(LaunchRequest request, Instance.State state) throws Exception {
        eventually(
                () -> listed(site, request),
                all -> all.size() == 1 && all.getFirst().state() == state);
    }
}
