package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.spillway.cloud.ProviderUnderTest.eventually;
import static org.spillway.cloud.ProviderUnderTest.first;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The inventory shows all that costs, ends what is ours and nothing of a stranger. */
abstract class InventoryDuties extends Duties {
    InventoryDuties(ProviderUnderTest provider) {
        super(provider);
    }

    @Test
    void inventoryNamesWhatCostsUntilItIsDeleted() throws Exception {
        if (site.inventory().isEmpty()) {
            assertThat(provider.roles()).doesNotContain("inventory");
            return;
        }
        Inventory inventory = site.inventory().orElseThrow();
        String id = first(site.compute().launch(provider.one())).id();
        Billable thing = inventory.all().stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow();
        assertThat(thing.tags()).containsEntry(Instance.TAG_CLUSTER, "contract");
        assertThat(thing.pricePerHour().micros()).isPositive();
        inventory.delete(thing);
        inventory.delete(thing);
        eventually(
                inventory::all, all -> all.stream().noneMatch(each -> each.id().equals(id)));
    }

    @Test
    void inventoryShowsAndRemovesAnOrphanOfEachKindAndNothingOfAStranger() throws Exception {
        List<Planted> strange = provider.plantOrphans("stranger");
        List<Planted> own = provider.plantOrphans("contract");
        if (site.inventory().isEmpty()) {
            assertThat(own).isEmpty();
            assertThat(strange).isEmpty();
            return;
        }
        assertThat(own).isNotEmpty();
        Inventory inventory = site.inventory().orElseThrow();
        List<Billable> all = inventory.all();
        for (Planted planted : own) {
            Billable shown =
                    shown(all, planted).orElseThrow(() -> new AssertionError(planted + " is not in the inventory"));
            if (shown.evidence() == Billable.Evidence.TAG) {
                assertThat(shown.tags()).containsEntry(Instance.TAG_CLUSTER, "contract");
            }
        }
        assertThat(strange)
                .allSatisfy(planted -> assertThat(shown(all, planted).map(Billable::evidence))
                        .as("what bears no mark of ours")
                        .isIn(Optional.empty(), Optional.of(Billable.Evidence.ACCOUNT)));
        removed(inventory, own);
        Inventory theirs = provider.opened(provider.open("stranger", "here", false))
                .inventory()
                .orElseThrow();
        List<Billable> left = theirs.all();
        assertThat(strange)
                .allSatisfy(planted -> assertThat(shown(left, planted)).isPresent());
        removed(theirs, strange);
    }

    @Test
    void inventoryShowsAndEndsAnInstanceThatHasLostItsSitesMark() throws Exception {
        Optional<Planted> planted = provider.plantWithoutSite("contract");
        if (planted.isPresent()) {
            Inventory inventory = site.inventory().orElseThrow();
            assertThat(shown(inventory.all(), planted.get())).isPresent();
            removed(inventory, List.of(planted.get()));
        }
    }

    private static Optional<Billable> shown(List<Billable> all, Planted planted) {
        return all.stream()
                .filter(thing ->
                        thing.kind().equals(planted.kind()) && thing.id().equals(planted.id()))
                .findFirst();
    }

    /** As audit does it: what does not go yet, because another thing holds it, is tried again. */
    private static void removed(Inventory inventory, List<Planted> all) throws Exception {
        eventually(
                () -> {
                    int left = 0;
                    // A round has one look, as an inventory is a dozen listings.
                    List<Billable> shown = inventory.all();
                    for (Planted planted : all) {
                        Optional<Billable> thing = shown(shown, planted);
                        if (thing.isPresent()) {
                            left++;
                            deleteTwice(inventory, thing.orElseThrow());
                        }
                    }
                    return left;
                },
                left -> left == 0);
    }

    private static void deleteTwice(Inventory inventory, Billable thing) {
        try {
            inventory.delete(thing);
            inventory.delete(thing);
        } catch (CloudException held) {
            // Said, not swallowed: the next round must find it gone, or the test ends here.
            assertThat(held).hasMessageContaining(thing.id());
        }
    }
}
