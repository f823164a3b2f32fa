package org.spillway.cloud.aws;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.ec2.model.DeleteLaunchTemplateRequest;
import software.amazon.awssdk.services.ec2.model.DescribeLaunchTemplatesRequest;
import software.amazon.awssdk.services.ec2.model.Instance;
import software.amazon.awssdk.services.ec2.model.InstanceStateName;
import software.amazon.awssdk.services.ec2.model.LaunchTemplate;

/**
 * Removes what a launch needed and its instances no longer do: placement groups that got no instance, or whose last has
 * ended, and launch
 * templates of fleets whose answer was lost. A listing shows both, also after a crash, since ended instances are listed
 * for about an hour. What it cannot remove now is seen again by the next listing, and by the inventory at last.
 */
final class AwsLeftovers {
    private static final Logger LOG = LoggerFactory.getLogger(AwsLeftovers.class);
    private static final String TEMPLATE_TAG = "aws:ec2launchtemplate:id";
    /** Calls for one listing, so that it stays one. */
    private static final int MAX_CALLS = 5;

    private static final int MAX_REMEMBERED = 10_000;
    private final AwsClients clients;
    private final AwsGroups groups;
    private final AwsTags tags;
    private final Set<String> removed = ConcurrentHashMap.newKeySet();
    /** How many launches that are under way in this process need that group or template. */
    private final Map<String, Integer> busy = new ConcurrentHashMap<>();
    /** Groups of launches that ended without an instance that is known. */
    private final Set<String> doubtful = ConcurrentHashMap.newKeySet();

    AwsLeftovers(AwsClients clients, AwsGroups groups, AwsTags tags) {
        this.clients = clients;
        this.groups = groups;
        this.tags = tags;
    }

    /** A launch begins that needs it. */
    void begin(String name) {
        removed.remove(name);
        busy.merge(name, 1, Integer::sum);
    }

    void end(String name) {
        busy.computeIfPresent(name, (same, count) -> count == 1 ? null : count - 1);
    }

    /** A launch into a group ended with nothing that is known: EC2 keeps the group if there is something in it. */
    void endOfGroup(String name, boolean nothingExists) {
        end(name);
        doubtful.add(name);
        if (nothingExists) {
            tidyGroups();
        }
    }

    private void tidyGroups() {
        doubtful.removeAll(removed);
        doubtful.stream()
                .filter(name -> !busy.containsKey(name))
                .limit(MAX_CALLS)
                .forEach(name -> attempt(name, () -> groups.delete(name)));
        doubtful.removeAll(removed);
    }

    void tidy(Collection<Instance> listed) {
        if (removed.size() > MAX_REMEMBERED) {
            removed.clear();
        }
        Map<String, Boolean> empty = new HashMap<>();
        Map<String, Boolean> templates = new HashMap<>();
        for (Instance each : listed) {
            String group = each.placement() == null ? null : each.placement().groupName();
            if (group != null && groups.isOurs(group)) {
                boolean ended = each.state() != null && each.state().name() == InstanceStateName.TERMINATED;
                empty.merge(group, ended, Boolean::logicalAnd);
            }
            String template = AwsTags.map(each.tags()).get(TEMPLATE_TAG);
            if (template != null) {
                templates.put(template, true);
            }
        }
        doubtful.removeAll(empty.keySet());
        tidyGroups();
        empty.values().removeIf(ended -> !ended);
        empty.keySet().removeAll(busy.keySet());
        empty.keySet().removeAll(removed);
        templates.keySet().removeAll(removed);
        empty.keySet().stream().limit(MAX_CALLS).forEach(name -> attempt(name, () -> groups.delete(name)));
        templates.keySet().stream().limit(MAX_CALLS).forEach(id -> attempt(id, () -> deleteTemplate(id)));
    }

    private interface Removal {
        boolean run();
    }

    private void attempt(String what, Removal removal) {
        try {
            if (removal.run()) {
                removed.add(what);
            }
        } catch (SdkException failed) {
            LOG.warn("{} stays for now: {}", what, AwsErrors.describe(failed));
        }
    }

    /** Only one that bears our tags: an administrator may have launched by his own. */
    private boolean deleteTemplate(String id) {
        try {
            for (LaunchTemplate each : clients.ec2()
                    .describeLaunchTemplates(DescribeLaunchTemplatesRequest.builder()
                            .launchTemplateIds(id)
                            .build())
                    .launchTemplates()) {
                if (busy.containsKey(each.launchTemplateName())) {
                    return false;
                }
                if (AwsTags.map(each.tags()).entrySet().containsAll(tags.own().entrySet())) {
                    clients.ec2()
                            .deleteLaunchTemplate(DeleteLaunchTemplateRequest.builder()
                                    .launchTemplateId(id)
                                    .build());
                }
            }
        } catch (SdkException failed) {
            if (!AwsErrors.isGone(failed)) {
                throw failed;
            }
        }
        return true;
    }
}
