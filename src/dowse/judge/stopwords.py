"""Words that say nothing about a topic: articles, pronouns, prepositions, auxiliaries. Compact lists by language."""

from __future__ import annotations

__all__ = ["STOP_WORDS"]

_LISTS = {
    "english": """
        a about above after again against all also am an and any are aren as at be because been before being below
        between both but by can cannot could couldn d did didn do does doesn doing don down during each else ever every
        few for from further get got had hadn has hasn have haven having he her here hers herself him himself his how
        however i if in into is isn it its itself just ll m may me might more most much must my myself no nor not now o
        of off on once only or other ought our ours ourselves out over own per rather re s same shall shan she should
        shouldn since so some such t than that the their theirs them themselves then there these they this those though
        through thus to too under until up upon us ve very via was wasn we were weren what when where whether which
        while who whom whose why will with within without won would wouldn yet you your yours yourself yourselves
    """,
    "german": """
        aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei
        bin bis bist da damit dann das dass dein deine dem den der des dessen dich die dies diese diesem diesen dieser
        dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer für gegen gewesen hab habe
        haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede
        jedem jeden jeder jedes jene kann kein keine können könnte machen man manche mehr mein meine mich mir mit muss
        nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit selbst sich sie sind so
        solche soll sollte sondern sonst sowie über um und uns unser unter viel vom von vor war waren warst was weil
        welche welcher wenn wer werde werden wie wieder will wir wird wirst wo wurde wurden während zu zum zur zwar
        zwischen
    """,
    "french": """
        ai ainsi alors après as au aucun aussi autre autres aux avaient avait avant avec avoir c car ce ceci cela celle
        celles celui ces cet cette ceux chaque ci comme comment d dans de depuis des deux donc dont du elle elles en
        encore entre es est et étaient était étant été être eu eux fait il ils j je jusqu l la le les leur leurs lors
        lui là m ma mais me même mêmes mes moi moins mon n ne ni nos notre nous on ont ou où par pas peu peut plus pour
        pourquoi près qu quand que quel quelle quelles quels qui s sa sans se sera ses si soit son sont sous sur t ta
        te tes toi ton tous tout toute toutes très tu un une vers vos votre vous y à ça
    """,
    "spanish": """
        a al algo algunas algunos ante antes aquel aquella así aun aunque cada como con contra cual cuando de del desde
        donde dos durante e el él ella ellas ellos en entre era eran es esa esas ese eso esos esta está estaba están
        estas este esto estos fue fueron ha había habían han hasta hay la las le les lo los más me mi mientras mis mucho
        muy nada ni no nos nosotros nuestra nuestro o os otra otras otro otros para pero poco por porque pues que qué
        quien quienes se sea ser si sí sido sin sino sobre son su sus también tan tanto te tiene tienen toda todas todo
        todos tu tus un una unas uno unos y ya yo
    """,
    "italian": """
        a ad agli ai al alla alle allo anche ancora c che chi ci cioè come con contro cosa così cui d da dagli dai dal
        dalla dalle dallo degli dei del della delle dello di dopo dove due e ed egli era erano essere fra fu già gli ha
        hanno i il in io l la le lei li lo loro lui ma mi mia mio molto ne negli nei nel nella nelle nello noi non
        nostro o ogni ora per perché perchè però più poi prima quale quali quando quanto quella quelle quelli quello
        questa queste questi questo qui se sempre senza si sia sono stata stati stato su sua sue sugli sui sul sulla
        sulle suo suoi tra tu tutti tutto un una uno v vi voi
    """,
    "portuguese": """
        a ao aos após aquela aquele aqueles as até cada com como contra da das de dela dele deles depois desde do dos e
        é ela elas ele eles em entre era eram essa essas esse esses esta está estão estas este estes eu foi foram há
        isso isto já la lhe lhes mais mas me mesmo meu minha muito na não nas nem no nos nós nossa nosso num numa o onde
        os ou para pela pelas pelo pelos por porque qual quando quanto que quem se sem ser seu seus sido são só sob
        sobre sua suas também tanto te tem têm toda todas todo todos tu um uma você vocês à às
    """,
}

STOP_WORDS: dict[str, frozenset[str]] = {language: frozenset(text.split()) for language, text in _LISTS.items()}
