package org.spillway.head.service;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.spillway.api.AccountsView;
import org.spillway.api.AccountsView.GroupView;
import org.spillway.api.AccountsView.PlaceView;
import org.spillway.director.directory.HomeDirectory;
import org.spillway.director.directory.NssSource;
import org.spillway.director.directory.PosixAccount;
import org.spillway.director.wire.SiteAccounts;
import org.spillway.director.wire.SiteAccounts.Account;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.doctor.AccountPlaces;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.rest.AccountsApi;

/** A user at home and at each site, asked all at once. Each answer has the time limit of the link. */
record AccountDesk(
        HeadConfig config,
        HomeDirectory directory,
        Function<String, Optional<DirectorTarget>> directors,
        DirectorLink link)
        implements AccountsApi {
    @Override
    public AccountsView of(String user) {
        directory.lookUp(user);
        var asked = new ConcurrentSkipListMap<String, List<PlaceView>>();
        List<Thread> threads = new ArrayList<>();
        for (String site : config.sites().keySet()) {
            threads.add(Thread.ofVirtual().name("account at " + site).start(() -> asked.put(site, at(site, user))));
        }
        List<PlaceView> places = new ArrayList<>();
        places.add(inDirectory(user));
        try {
            places.add(atHome(user));
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        config.sites().keySet().forEach(site -> places.addAll(asked.getOrDefault(site, List.of())));
        return AccountPlaces.compared(user, places, config.directory().minUid());
    }

    /** Why users may be out of date. */
    static Cause trouble(HomeDirectory directory) {
        return directory
                .away()
                .<Cause>map(since -> new SiteCause.DirectoryAway(
                        since.getEpochSecond(), directory.trouble().replaceAll("\\p{Cntrl}", "?")))
                .orElse(Cause.NONE);
    }

    private PlaceView inDirectory(String user) {
        Optional<Account> known = PosixAccount.of(directory.store(), user);
        if (known.isPresent()) {
            return place("DIRECTORY", "", "", known.get());
        }
        List<String> confused = directory.store().sameAccounts(user, -1);
        String why = confused.size() > 1
                ? "several accounts claim it: " + String.join(" and ", confused)
                : directory.refusal(user).orElse("not there, or without a number, a group or a home");
        return PlaceView.without("DIRECTORY", "", "", "UNKNOWN", why);
    }

    private static PlaceView atHome(String user) throws InterruptedException {
        try {
            return NssSource.account(user)
                    .map(known -> place("HEAD", "", "", known))
                    .orElseGet(() -> PlaceView.without("HEAD", "", "", "UNKNOWN", ""));
        } catch (IOException failed) {
            return PlaceView.without("HEAD", "", "", "UNASKED", String.valueOf(failed.getMessage()));
        }
    }

    private List<PlaceView> at(String site, String user) {
        DirectorTarget director = directors.apply(site).orElse(null);
        if (director == null) {
            return List.of(PlaceView.without("COPY", site, "", "UNASKED", "no director is up"));
        }
        try {
            return link.accounts(director, user)
                    .map(said -> List.of(copy(site, said.copy()), node(site, said)))
                    .orElseGet(() -> List.of(
                            PlaceView.without("COPY", site, "", "UNASKED", "its director is of an earlier release")));
        } catch (LinkDownException down) {
            return List.of(PlaceView.without("COPY", site, "", "UNASKED", String.valueOf(down.getMessage())));
        }
    }

    private static PlaceView copy(String site, @Nullable Account known) {
        return known == null ? PlaceView.without("COPY", site, "", "UNKNOWN", "") : place("COPY", site, "", known);
    }

    private static PlaceView node(String site, SiteAccounts said) {
        Account there = said.there();
        return switch (said.word()) {
            case NO_NODE ->
                PlaceView.without(
                        "NODE", site, "", "UNASKED", "no node is up: the director's copy is what jobs will get");
            case ASKED -> PlaceView.without("NODE", site, said.node(), "WAITING", "");
            case UNKNOWN ->
                PlaceView.without("NODE", site, said.node(), "UNKNOWN", "jobs there bring their names along");
            case UNREADABLE -> PlaceView.without("NODE", site, said.node(), "UNASKED", "its name service failed");
            case KNOWN ->
                there == null
                        ? PlaceView.without("NODE", site, said.node(), "UNASKED", "its answer has no account")
                        : place("NODE", site, said.node(), there);
        };
    }

    private static PlaceView place(String kind, String site, String node, Account account) {
        return new PlaceView(
                kind,
                site,
                node,
                "KNOWN",
                account.uid(),
                account.gid(),
                account.groups().stream()
                        .map(group -> new GroupView(group.gid(), group.name()))
                        .distinct()
                        .sorted(java.util.Comparator.comparing(GroupView::gid))
                        .toList(),
                "");
    }
}
