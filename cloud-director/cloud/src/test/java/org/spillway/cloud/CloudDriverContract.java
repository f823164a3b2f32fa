package org.spillway.cloud;

import org.junit.jupiter.api.Nested;

/**
 * Duties of every driver. A driver's test extends this and supplies a provider, real or emulated; no case is left out
 * for one of them, so that every driver's report counts the same.
 */
public abstract class CloudDriverContract extends ProviderUnderTest {
    @Nested
    class Offerings extends OfferingDuties {
        Offerings() {
            super(CloudDriverContract.this);
        }
    }

    @Nested
    class Launching extends LaunchDuties {
        Launching() {
            super(CloudDriverContract.this);
        }
    }

    @Nested
    class Alternatives extends AlternativeDuties {
        Alternatives() {
            super(CloudDriverContract.this);
        }
    }

    @Nested
    class Placing extends PlacingDuties {
        Placing() {
            super(CloudDriverContract.this);
        }
    }

    @Nested
    class Terminating extends TerminationDuties {
        Terminating() {
            super(CloudDriverContract.this);
        }
    }

    @Nested
    class AskedById extends LookupDuties {
        AskedById() {
            super(CloudDriverContract.this);
        }
    }

    @Nested
    class Neighbours extends NeighbourDuties {
        Neighbours() {
            super(CloudDriverContract.this);
        }
    }

    @Nested
    class BadLuck extends BadLuckDuties {
        BadLuck() {
            super(CloudDriverContract.this);
        }
    }

    @Nested
    class Lies extends LieDuties {
        Lies() {
            super(CloudDriverContract.this);
        }
    }

    @Nested
    class Nowhere extends NowhereDuties {
        Nowhere() {
            super(CloudDriverContract.this);
        }
    }

    @Nested
    class Pages extends PageDuties {
        Pages() {
            super(CloudDriverContract.this);
        }
    }

    @Nested
    class Roles extends RoleDuties {
        Roles() {
            super(CloudDriverContract.this);
        }
    }

    @Nested
    class Inventories extends InventoryDuties {
        Inventories() {
            super(CloudDriverContract.this);
        }
    }

    @Nested
    class Networks extends NetworkDuties {
        Networks() {
            super(CloudDriverContract.this);
        }
    }

    @Nested
    class Sets extends SetDuties {
        Sets() {
            super(CloudDriverContract.this);
        }
    }

    @Nested
    class Marks extends MarkDuties {
        Marks() {
            super(CloudDriverContract.this);
        }
    }

    @Nested
    class Batches extends BatchDuties {
        Batches() {
            super(CloudDriverContract.this);
        }
    }

    @Nested
    class Checks extends CheckDuties {
        Checks() {
            super(CloudDriverContract.this);
        }
    }
}
