package org.spillway.proof.simulate;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.spillway.scaler.simulate.SimulationResult;
import org.spillway.scaler.simulate.SimulationSettings;
import org.spillway.scaler.simulate.log.WorkloadLog;

/** The results for programs. Times in seconds, money as decimal text. */
final class ResultJson {
    private ResultJson() {}

    static String write(WorkloadLog log, SimulationSettings settings, List<SimulationResult> results) {
        ObjectNode root = JsonMapper.builder().build().createObjectNode();
        root.put("log", log.source())
                .put("format", log.format().text())
                .put("brokenLines", log.broken())
                .put("leftOut", log.leftOut())
                .put("seed", settings.seed())
                .put("tickSeconds", settings.tick().toMillis() / 1000.0);
        ArrayNode policies = root.putArray("policies");
        results.forEach(result -> add(policies.addObject(), result));
        return root.toPrettyString() + "\n";
    }

    private static void add(ObjectNode node, SimulationResult result) {
        SimulationResult.Waits waits = result.waits();
        SimulationResult.Cloud cloud = result.cloud();
        node.put("policy", result.policy())
                .put("jobs", result.jobs())
                .put("finished", result.finished())
                .put("waitMeanSeconds", waits.mean())
                .put("waitMedianSeconds", waits.median())
                .put("waitP95Seconds", waits.p95())
                .put("waitLongestSeconds", waits.longest())
                .put("boundedSlowdownMean", waits.slowdown())
                .put("boundedSlowdownP95", waits.slowdownP95())
                .put("homeUse", result.homeUse())
                .put("cloudNodeHours", cloud.nodeHours())
                .put("idleNodeHours", cloud.idleHours())
                .put("idleCost", cloud.idleCost().toString())
                .put("bootNodeHours", cloud.bootHours())
                .put("cost", cloud.cost().toString())
                .put("launched", cloud.launched())
                .put("launchesShort", cloud.refused())
                .put("reclaimed", cloud.reclaimed())
                .put("runsLost", cloud.lostJobs())
                .put("deadlinesMet", result.deadlines().met())
                .put("deadlines", result.deadlines().of())
                .put("ticks", result.effort().ticks())
                .put("decisions", result.effort().decisions())
                .put("changes", result.effort().changes())
                .put("failures", result.effort().failures())
                .put("tookSeconds", result.effort().took().toMillis() / 1000.0);
        ArrayNode offerings = node.putArray("offerings");
        result.uses()
                .forEach(use -> offerings
                        .addObject()
                        .put("offering", use.offering().toString())
                        .put("launched", use.launched())
                        .put("launchesShort", use.refused())
                        .put("nodeHours", use.nodeHours())
                        .put("cost", use.cost().toString()));
        ArrayNode samples = node.putArray("samples");
        result.samples()
                .forEach(sample -> samples.addObject()
                        .put("at", sample.at().toString())
                        .put("waitingJobs", sample.waitingJobs())
                        .put("waitingNodes", sample.waitingNodes())
                        .put("homeUse", sample.homeUse())
                        .put("cloudNodes", sample.cloudNodes())
                        .put("cloudBusy", sample.cloudBusy())
                        .put("cost", sample.cost().toString()));
    }
}
