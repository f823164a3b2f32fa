package org.spillway.head.service;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.spillway.api.ApiException;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.LoopRunner;
import org.spillway.head.loop.handover.DataAnswer;
import org.spillway.head.tenant.HeadDesk;

/** Answers a tenant's requests on the loop's thread. */
record LoopDesk(
        Loop loop, LoopRunner runner, NodesByHand byHand, UserGroups groups, Admission admission, InputFiles inputs)
        implements HeadDesk {

    @Override
    public DataAnswer dataIn(String number) {
        return runner.ask(now -> loop.data().in(number));
    }

    @Override
    public DataAnswer dataOut(String number) {
        return runner.ask(now -> loop.data().out(number));
    }

    @Override
    public DataAnswer onNodes(String number, Duration patience) {
        return runner.ask(now -> loop.data().onNodes(number))
                .completeOnTimeout(
                        new DataAnswer.Wait("its nodes are not ready for it yet"),
                        patience.toMillis(),
                        TimeUnit.MILLISECONDS)
                .join();
    }

    @Override
    public void left(String number) {
        runner.ask(now -> {
            loop.data().left(number);
            return true;
        });
    }

    @Override
    public void wake() {
        runner.ask(now -> true);
    }

    @Override
    public String remove(String node) {
        try {
            return "it is " + byHand.change(node, "remove").state();
        } catch (ApiException refused) {
            return String.valueOf(refused.getMessage());
        }
    }

    @Override
    public String nameOf(int uid, String here) {
        return groups.nameOf(uid, here);
    }

    @Override
    public void known(String user, int uid) {
        admission.known(user, uid);
    }
}
