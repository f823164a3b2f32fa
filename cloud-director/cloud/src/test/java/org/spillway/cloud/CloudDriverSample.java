package org.spillway.cloud;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

/**
 * Duties in which the way to a provider may lose something: what is asked and answered, refusals with their reasons,
 * answers that are lost, long listings. For a driver that leads to a provider whose own driver has shown all of them in the
 * same build; {@link CloudDriverContract} shows all of them through it, too, where there is time.
 */
public abstract class CloudDriverSample {
    private final ProviderUnderTest whole;

    protected CloudDriverSample(CloudDriverContract whole) {
        this.whole = whole;
    }

    @BeforeEach
    void openSite() {
        whole.openSite();
    }

    @AfterEach
    void endAll() throws Exception {
        whole.endAll();
    }

    @Nested
    class Offerings extends OfferingDuties {
        Offerings() {
            super(whole);
        }
    }

    @Nested
    class Launching extends LaunchDuties {
        Launching() {
            super(whole);
        }
    }

    @Nested
    class Terminating extends TerminationDuties {
        Terminating() {
            super(whole);
        }
    }

    @Nested
    class AskedById extends LookupDuties {
        AskedById() {
            super(whole);
        }
    }

    @Nested
    class BadLuck extends BadLuckDuties {
        BadLuck() {
            super(whole);
        }
    }

    @Nested
    class Nowhere extends NowhereDuties {
        Nowhere() {
            super(whole);
        }
    }

    @Nested
    class Pages extends PageDuties {
        Pages() {
            super(whole);
        }
    }

    @Nested
    class Roles extends RoleDuties {
        Roles() {
            super(whole);
        }
    }
}
