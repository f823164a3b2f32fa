package org.spillway.localcloud.ec2;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.spillway.localcloud.ApiError;
import org.spillway.localcloud.ApiFront;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.Fault;
import org.spillway.localcloud.FrontReply;
import org.spillway.localcloud.FrontRequest;
import org.spillway.localcloud.InstanceMetadata;

/**
 * {@code --api ec2}. Its keys stand in {@code api/ec2/credentials} of the state.
 */
public final class Ec2Front implements ApiFront {
    private static final String EC2_VERSION = "2016-11-15";
    private static final String STS_VERSION = "2011-06-15";
    static final String ACCOUNT = "000000000000";
    private final ReentrantLock changing = new ReentrantLock();
    private @Nullable Opened opened;

    /** The parts that {@link #open} made. */
    private record Opened(CloudBehind cloud, SignatureV4 signatures, Calls calls, PriceList prices, Ec2Quotas quotas) {}

    @Override
    public String api() {
        return "ec2";
    }

    @Override
    public void open(CloudBehind cloud, String endpoint) throws IOException {
        Path state = cloud.stateFor(api());
        Things things = Things.open(state.resolve("things.json"));
        Defaults.make(things, cloud.zones());
        opened = new Opened(
                cloud,
                SignatureV4.open(state.resolve("credentials")),
                new Calls(cloud, things),
                new PriceList(cloud),
                new Ec2Quotas(cloud));
    }

    @Override
    public Set<String> brokenKinds() {
        return Ec2Broken.words();
    }

    @Override
    public Optional<InstanceMetadata> metadata() {
        return Optional.of(new Ec2Metadata());
    }

    /** EC2's own: prices and identity are other services. */
    @Override
    public String action(FrontRequest request) {
        try {
            Query query = Query.parse(request.header("x-amz-target").isEmpty() ? request.text() : "");
            return query.get("Version").equals(EC2_VERSION) ? query.get("Action") : "";
        } catch (Ec2Error unreadable) {
            return "";
        }
    }

    @Override
    public FrontReply published(FrontRequest request, Fault fault, Instant now) {
        return Ec2Published.FORMS.reply(fault, now);
    }

    @Override
    public FrontReply answer(FrontRequest request) throws IOException {
        Opened now = Objects.requireNonNull(opened);
        Instant time = now.cloud().now().plusSeconds(skewSeconds(now.cloud()));
        return answer(now, request, time);
    }

    private static long skewSeconds(CloudBehind cloud) {
        return cloud.strikes(Fault.Kind.SKEW, "", "")
                .map(fault -> (long) fault.seconds())
                .orElseGet(() -> Ec2Broken.skewSeconds(cloud));
    }

    private FrontReply answer(Opened now, FrontRequest request, Instant time) throws IOException {
        String target = request.header("x-amz-target");
        try {
            SignatureV4.Caller caller = now.signatures().caller(request, time);
            Ec2Broken.checkDoor(now.cloud(), caller);
            if (target.startsWith(Ec2Quotas.TARGET)) {
                return now.quotas().answer(target, request.text(), caller);
            }
            if (!target.isEmpty()) {
                return now.prices().answer(target, request.text());
            }
            Query query = Query.parse(request.text());
            if (query.get("Version").equals(Ec2Quotas.WATCH_VERSION)) {
                return now.quotas().statistics(query, caller);
            }
            if (query.get("Version").equals(STS_VERSION)) {
                return identity(query, caller);
            }
            if (!query.get("Version").equals(EC2_VERSION)) {
                throw new Ec2Error(
                        "NoSuchVersion", "The requested version (" + query.get("Version") + ") is not valid");
            }
            return ec2(now, query, caller);
        } catch (Ec2Error refused) {
            return target.isEmpty() ? refusal(refused, request.text()) : PriceList.refusal(refused);
        }
    }

    private FrontReply ec2(Opened now, Query query, SignatureV4.Caller caller) throws Ec2Error, IOException {
        String action = query.required("Action");
        boolean looks = action.startsWith("Describe") || action.startsWith("Get");
        if (!looks && !caller.mayChange()) {
            throw new Ec2Error(
                    403, "UnauthorizedOperation", "You are not authorized to perform this operation: " + action);
        }
        Ec2Broken.checkAllowed(now.cloud(), "ec2", action, caller);
        Calls.Call call = now.calls().named(action);
        if (now.cloud().manner().strict()) {
            Ec2Strict.check(action, query);
        }
        if (query.isTrue("DryRun")) {
            now.calls().checkDry(action, query);
            throw new Ec2Error(412, "DryRunOperation", "Request would have succeeded, but DryRun flag is set.");
        }
        Xml body = new Xml();
        Calls.Context context = new Calls.Context();
        try {
            if (looks) {
                call.answer(query, body, context);
            } else {
                changing.lock();
                try {
                    call.answer(query, body, context);
                } finally {
                    changing.unlock();
                }
            }
        } catch (ApiError behind) {
            throw Ec2Error.of(behind);
        }
        String text = "<" + action + "Response xmlns=\"http://ec2.amazonaws.com/doc/" + EC2_VERSION + "/\"><requestId>"
                + UUID.randomUUID() + "</requestId>" + body + "</" + action + "Response>";
        return xml(200, text, action + " " + context.note()).with(context.fault());
    }

    private static FrontReply identity(Query query, SignatureV4.Caller caller) throws Ec2Error {
        if (!query.get("Action").equals("GetCallerIdentity")) {
            throw new Ec2Error("InvalidAction", "Could not find operation " + query.get("Action"));
        }
        String user = caller.mayChange() ? "spillway" : "reader";
        String text = "<GetCallerIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/" + STS_VERSION
                + "/\"><GetCallerIdentityResult><Arn>arn:aws:iam::" + ACCOUNT + ":user/" + user + "</Arn><UserId>AIDA"
                + Digest.hex(user).substring(0, 17) + "</UserId><Account>" + ACCOUNT
                + "</Account></GetCallerIdentityResult><ResponseMetadata><RequestId>" + UUID.randomUUID()
                + "</RequestId></ResponseMetadata></GetCallerIdentityResponse>";
        return xml(200, text, "GetCallerIdentity");
    }

    private static FrontReply refusal(Ec2Error refused, String form) {
        Xml inner = new Xml().leaf("Code", refused.code()).leaf("Message", String.valueOf(refused.getMessage()));
        String action = form.replaceAll("(?s)^(.*&)?Action=([A-Za-z]{1,60}).*$", "$2");
        String note = (action.length() > 60 ? "?" : action) + " " + refused.code();
        if (form.contains("Version=" + STS_VERSION)) {
            return xml(
                    refused.status(),
                    "<ErrorResponse xmlns=\"https://sts.amazonaws.com/doc/" + STS_VERSION
                            + "/\"><Error><Type>Sender</Type>" + inner + "</Error><RequestId>" + UUID.randomUUID()
                            + "</RequestId></ErrorResponse>",
                    note);
        }
        return xml(
                refused.status(),
                "<Response><Errors><Error>" + inner + "</Error></Errors><RequestID>" + UUID.randomUUID()
                        + "</RequestID></Response>",
                note);
    }

    private static FrontReply xml(int status, String text, String note) {
        return new FrontReply(
                status,
                Map.of("Content-Type", "text/xml;charset=UTF-8"),
                ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + text).getBytes(StandardCharsets.UTF_8),
                note,
                Optional.<Fault>empty());
    }
}
