package org.spillway.cloud.transcript;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.cloud.RecordedCall;

/** Planted secrets, in each place where a provider's API has room for one. */
final class CleanerTest {
    private static final String PLANT = "Pl4nt3dS3cr3t/0123+x==";
    private static final String CODED = "Pl4nt3dS3cr3t%2F0123%2Bx%3D%3D";
    private static final String TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl";

    private static RecordedCall call(String url, Map<String, String> sent, String body, String answer) {
        return new RecordedCall("POST", url, sent, body, 200, Map.of("Content-Type", "text/xml"), answer, "");
    }

    private static String all(RecordedCall clean) {
        return String.join(
                "\n",
                clean.url(),
                clean.sent().toString(),
                clean.body(),
                clean.heard().toString(),
                clean.answer(),
                clean.failure());
    }

    private static RecordedCall clean(RecordedCall call) {
        return new Cleaner(List.of()).clean(call);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Authorization",
                "X-Auth-Token",
                "X-Subject-Token",
                "X-Amz-Security-Token",
                "Cookie",
                "Api-Key",
                "X-Whatever"
            })
    void headersLoseTheirValuesUnlessTheyAreNeeded(String name) {
        RecordedCall clean = clean(call("http://h/", Map.of(name, PLANT, "Accept", "text/xml"), "", ""));
        assertThat(all(clean)).doesNotContain(PLANT);
        assertThat(clean.sent())
                .containsEntry("accept", "text/xml")
                .containsKey(name.toLowerCase(java.util.Locale.ROOT));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://blob.example/x?sv=2021&sig=" + CODED + "&se=1",
                "https://h/?X-Amz-Signature=" + CODED,
                "https://h/?X-Amz-Credential=" + CODED + "&a=b",
                "https://h/p?access_token=" + CODED,
                "https://user:" + PLANT + "@h/p",
                "https://h/p?x=" + TOKEN
            })
    void addressesKeepNone(String url) {
        RecordedCall clean = clean(call(url, Map.of("Location", url), "", "{\"uri\":\"" + url + "\"}"));
        assertThat(all(clean)).doesNotContain(PLANT).doesNotContain(CODED).doesNotContain(TOKEN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Action=RunInstances&UserData=" + CODED + "&MaxCount=1",
                "Action=CreateLaunchTemplate&LaunchTemplateData.UserData=" + CODED,
                "grant_type=client_credentials&client_id=a&client_secret=" + CODED,
                "grant_type=x&client_assertion=" + TOKEN,
                "{\"auth\":{\"identity\":{\"methods\":[\"password\"],\"password\":{\"user\":{\"name\":\"u\",\"password\":\""
                        + PLANT + "\"}}}}}",
                "{\"auth\":{\"identity\":{\"methods\":[\"token\"],\"token\":{\"id\":\"" + PLANT + "\"}}}}",
                "{\"auth\":{\"identity\":{\"application_credential\":{\"id\":\"a\",\"secret\":\"" + PLANT + "\"}}}}",
                "{\"properties\":{\"osProfile\":{\"adminPassword\":\"" + PLANT + "\",\"customData\":\"" + PLANT
                        + "\"}}}",
                "{\"server\":{\"user_data\":\"" + PLANT + "\",\"personality\":[{\"contents\":\"x\"}],\"adminPass\":\""
                        + PLANT + "\"}}",
                "{\"access_token\":\"" + PLANT + "\",\"expires_in\":3599}",
                "{\"accessSAS\":\"" + PLANT + "\"}",
                "{\"deep\":[{\"keys\":[{\"primaryAccessKey\":\"" + PLANT + "\"}]}]}",
                "{\"output\":\"" + PLANT + "\"}",
                "{\"keys\":[{\"keyName\":\"key1\",\"value\":\"" + PLANT + "\"}]}",
                "<R><password type='x'>" + PLANT + "</password></R>",
                "<R><secret><![CDATA[" + PLANT + "]]></secret></R>",
                "<R><userData><value>" + PLANT + "</value></userData></R>",
                "<R><SecretAccessKey>" + PLANT + "</SecretAccessKey><SessionToken>" + PLANT + "</SessionToken></R>",
                "<GetConsoleOutputResponse><output>" + PLANT + "</output></GetConsoleOutputResponse>",
                "password is " + PLANT
            })
    void bodiesKeepNone(String body) {
        RecordedCall clean = clean(call("http://h/", Map.of(), body, body));
        assertThat(all(clean)).doesNotContain(PLANT).doesNotContain(CODED).doesNotContain(TOKEN);
    }

    @Test
    void whatWasToldOrSeenOnceIsNowhere() {
        Cleaner cleaner = new Cleaner(List.of("told-by-a-file-0815"));
        assertThat(all(cleaner.clean(call("http://h/told-by-a-file-0815", Map.of(), "", "<a>told-by-a-file-0815</a>"))))
                .doesNotContain("0815");
        cleaner.clean(call("http://h/", Map.of(), "", "{\"access_token\":\"" + PLANT + "\"}"));
        RecordedCall later = cleaner.clean(
                new RecordedCall("GET", "http://h/" + PLANT, Map.of(), "", 0, Map.of(), "", "cannot resolve " + PLANT));
        assertThat(all(later)).doesNotContain(PLANT);
    }

    @Test
    void whatADiagnosisNeedsStays() {
        String xml =
                "<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>no RunInstances</Message></Error>"
                        + "</Errors><nextToken>page2</nextToken><privateIpAddress>10.0.0.7</privateIpAddress></Response>";
        String json =
                "{\"error\":{\"code\":\"AuthorizationFailed\",\"message\":\"no\"},\"nextLink\":\"https://h/?$skiptoken=a\"}";
        String form = "Action=RunInstances&ClientToken=abc&NextToken=page2&TagSpecification.1.Tag.1.Value=c";
        RecordedCall one = clean(call("https://h/?api-version=1", Map.of(), form, xml));
        assertThat(one.body()).isEqualTo(form);
        assertThat(one.answer()).isEqualTo(xml);
        assertThat(one.url()).isEqualTo("https://h/?api-version=1");
        assertThat(clean(call("https://h/", Map.of(), "", json)).answer()).isEqualTo(json);
        RecordedCall headers =
                clean(new RecordedCall("GET", "https://h/", Map.of(), "", 429, Map.of("Retry-After", "17"), "", ""));
        assertThat(headers.heard()).containsEntry("retry-after", "17");
    }
}
